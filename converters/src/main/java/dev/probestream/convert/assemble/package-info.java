/**
 * From recorded events to a timeline: who ran, what each event means, and which slice lies inside which.
 *
 * <p>Comes in: the records of one or several recordings, read twice. The first reading makes a {@link
 * dev.probestream.convert.assemble.Timeline}; the second hands every event, in the order of its start, to a {@link
 * dev.probestream.convert.assemble.TraceWriter}. Memory does not grow with the number of events. Must not be imported
 * here: any trace format, files.
 */
@NullMarked
package dev.probestream.convert.assemble;

import org.jspecify.annotations.NullMarked;
