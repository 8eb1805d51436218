/**
 * The command {@code broker}: runs an embedded Kafka broker on the loopback address until a signal ends it.
 */
@NullMarked
package dev.probestream.cli.broker;

import org.jspecify.annotations.NullMarked;
