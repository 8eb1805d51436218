/**
 * From the samples of the ring to the records of the schema: {@code EventDecoder} encodes events, {@code OpenSpanReader} what
 * is still open at the end, {@code LossCounter} what was lost, {@code StackInterner} and {@code Symbolizer} turn raw
 * addresses into named stacks. Comes in: borrowed samples and the maps of a plan; goes out: encoded events and Avro
 * records, on the one thread that reads the ring. Must not import publishers, jnr or Avro encoders.
 */
package dev.probestream.collector.event;
