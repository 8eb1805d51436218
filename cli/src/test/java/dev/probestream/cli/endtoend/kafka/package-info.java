/** The commands with a Kafka broker. */
@NullMarked
package dev.probestream.cli.endtoend.kafka;

import org.jspecify.annotations.NullMarked;
