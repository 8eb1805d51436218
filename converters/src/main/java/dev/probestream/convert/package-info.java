/**
 * From recordings to a trace file.
 *
 * <p>Comes in: recordings ({@code .avro}), the path of the trace to be written, and the {@link
 * dev.probestream.convert.Slice} of it that is wanted. Goes out: a Perfetto ({@code .pftrace}) or Chrome ({@code
 * .json}, {@code .json.gz}) trace, whole or not at all, and a {@link dev.probestream.convert.ConversionOutcome} that
 * accounts for every event. Must not be imported here: Kafka, jnr, anything of the collector.
 */
@NullMarked
package dev.probestream.convert;

import org.jspecify.annotations.NullMarked;
