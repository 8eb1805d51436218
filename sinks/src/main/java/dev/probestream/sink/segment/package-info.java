/**
 * Divides a capture into segments. In: times, offsets and sizes of events; out: segments, as values. Pure: no files, no
 * clocks, no Kafka, so that reading the topic again gives the same segments.
 */
@NullMarked
package dev.probestream.sink.segment;

import org.jspecify.annotations.NullMarked;
