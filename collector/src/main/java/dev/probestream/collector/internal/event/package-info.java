/**
 * Decodes ring buffer samples into records of the schema: {@code EventDecoder} encodes events, {@code StatementEvents}
 * the statements of databases among them, {@code OpenSpanReader} the spans that are open at the end, {@code LossCounter}
 * the losses. Input: borrowed samples and the maps of a plan. Output: encoded events and Avro records, on the thread that
 * reads the ring. Must not import publishers, jnr-ffi or Avro encoders.
 */
package dev.probestream.collector.internal.event;
