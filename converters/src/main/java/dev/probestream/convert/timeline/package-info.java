/**
 * The first pass, and what a writer of a trace sees: captures, processes, threads, and the events in their place.
 *
 * <p>Comes in: the records of one or several recordings, read by {@link dev.probestream.convert.timeline.FirstPass}. Goes
 * out: a {@link dev.probestream.convert.timeline.Timeline}, and the values that a {@link
 * dev.probestream.convert.timeline.TraceWriter} takes. Must not be imported here: any trace format, files.
 */
@NullMarked
package dev.probestream.convert.timeline;

import org.jspecify.annotations.NullMarked;
