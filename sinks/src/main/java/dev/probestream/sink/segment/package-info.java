/**
 * Where one slice of a capture ends and the next begins. In: what is known of an event; out: slices, as values. Pure: no
 * files, no clocks, no Kafka, so that reading the topic again makes the same slices.
 */
@NullMarked
package dev.probestream.sink.segment;

import org.jspecify.annotations.NullMarked;
