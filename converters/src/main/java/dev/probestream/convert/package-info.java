/**
 * From recordings to a trace file or to tables.
 *
 * <p>Comes in: recordings ({@code .avro}), the path of what is to be written, and the {@link
 * dev.probestream.convert.RecordingRange} of it that is selected. Goes out: a Perfetto ({@code .pftrace}) or Chrome ({@code
 * .json}, {@code .json.gz}) trace or a folder of Parquet tables, whole or not at all, and a {@link
 * dev.probestream.convert.ConversionOutcome} that accounts for every event; or, for who fills a folder bit by bit, what
 * {@link dev.probestream.convert.TableConversion} writes. Must not be imported here: Kafka, jnr-ffi, anything of the
 * collector.
 */
@NullMarked
package dev.probestream.convert;

import org.jspecify.annotations.NullMarked;
