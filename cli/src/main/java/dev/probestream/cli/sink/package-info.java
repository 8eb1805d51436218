/** The command {@code sink}: writes events from Kafka to files. */
@NullMarked
package dev.probestream.cli.sink;

import org.jspecify.annotations.NullMarked;
