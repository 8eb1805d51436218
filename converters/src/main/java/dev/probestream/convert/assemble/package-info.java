/**
 * The second pass: every event in the order of its start, on its track, with its flows and its request.
 *
 * <p>Comes in: a {@link dev.probestream.convert.timeline.Timeline}, and the records of the same recordings again. Goes
 * out: the calls of a {@link dev.probestream.convert.timeline.TraceWriter}, or the requests alone. Memory does not grow
 * with the number of events. Must not be imported here: any trace format, files.
 */
@NullMarked
package dev.probestream.convert.assemble;

import org.jspecify.annotations.NullMarked;
