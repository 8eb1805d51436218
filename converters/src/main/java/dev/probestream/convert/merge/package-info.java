/**
 * Trace files of other programs, V8's and Node's above all, into the traces that we write.
 *
 * <p>Comes in: files in Chrome's JSON or Perfetto's protobuf, whole or cut off, perhaps compressed, whose times are of the
 * captures' machine and boot. Goes out: their events, all of them and on the trace's clock, through the writers of {@link
 * dev.probestream.convert.chrome} and {@link dev.probestream.convert.perfetto}. Every file is read twice: once to know what
 * is in it and which of its events are selected, and once to write. Memory holds one event, the names of processes and
 * threads, and what is open. Must not be imported here: anything of recordings but the {@link
 * dev.probestream.convert.timeline.Timeline}.
 */
@NullMarked
package dev.probestream.convert.merge;

import org.jspecify.annotations.NullMarked;
