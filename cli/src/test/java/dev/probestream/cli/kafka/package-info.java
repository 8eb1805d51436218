/** The way through Kafka, with a real broker: what the collector publishes, read back by plain clients. */
@NullMarked
package dev.probestream.cli.kafka;

import org.jspecify.annotations.NullMarked;
