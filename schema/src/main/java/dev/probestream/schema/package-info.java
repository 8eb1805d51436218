/**
 * The contract between collector, sinks and converters: the codec of the hot {@code Event} record and the recording
 * file. Comes in: records and encoded events; goes out: Avro bytes and files any Avro tool reads. Must not import
 * anything of the collector, the converters or Kafka.
 */
package dev.probestream.schema;
