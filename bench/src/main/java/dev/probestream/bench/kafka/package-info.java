/** Benchmarks of the way to Kafka and of the sinks, beside plain producers and consumers. */
@NullMarked
package dev.probestream.bench.kafka;

import org.jspecify.annotations.NullMarked;
