/**
 * Which events of a capture are converted, and how they come into the order of their start.
 *
 * <p>Comes in: views of events in the order of the file. Goes out: for each, whether it is kept ahead or put into a
 * batch; sorted batches. Both readings use it. Must not be imported here: any trace format, files.
 */
@NullMarked
package dev.probestream.convert.intake;

import org.jspecify.annotations.NullMarked;
