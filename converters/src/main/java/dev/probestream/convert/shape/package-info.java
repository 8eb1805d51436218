/**
 * The shapes of probes and their arguments: names, types and units, and how each value is shown in a trace.
 *
 * <p>Comes in: the types and labels of recorded arguments. Goes out: calls of {@link
 * dev.probestream.convert.shape.ArgumentSink} with typed values. Must not be imported here: any trace format, files.
 */
@NullMarked
package dev.probestream.convert.shape;

import org.jspecify.annotations.NullMarked;
