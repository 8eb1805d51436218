/** The command {@code sink}: Kafka to finished files. */
@NullMarked
package dev.probestream.cli.sink;

import org.jspecify.annotations.NullMarked;
