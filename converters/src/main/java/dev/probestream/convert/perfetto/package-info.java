/**
 * Writes a timeline as a Perfetto trace.
 *
 * <p>Comes in: the calls of {@link dev.probestream.convert.timeline.TraceWriter}. Goes out: the packets of one {@code
 * .pftrace}, on a stream. Events are written by hand into a byte array with the field numbers of the generated classes;
 * everything that comes once is built with those classes. Must not be imported here: files, the recording's reader, any
 * other trace format.
 */
@NullMarked
package dev.probestream.convert.perfetto;

import org.jspecify.annotations.NullMarked;
