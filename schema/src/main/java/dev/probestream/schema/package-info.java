/**
 * The contract between collector, sinks and converters: the codec of the hot {@code Event} record, and the recording, an
 * Avro object container file that any Avro tool reads.
 *
 * <p>Comes in: events field by field, and generated records. Goes out: Avro bytes and files; from files, the same events
 * and records again, and what of a damaged file could not be read. Must not import anything of the collector, the
 * converters or Kafka. No other package calls Avro's encoders and decoders.
 */
package dev.probestream.schema;
