/**
 * Writes a timeline as a Chrome trace.
 *
 * <p>Comes in: the calls of {@link dev.probestream.convert.timeline.TraceWriter}. Goes out: one JSON object in the Trace
 * Event Format, on a stream, in UTF-8. Must not be imported here: files, the recording's reader, any other trace format,
 * any JSON library (the text is written by hand, without an object per event).
 */
@NullMarked
package dev.probestream.convert.chrome;

import org.jspecify.annotations.NullMarked;
