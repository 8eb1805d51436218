/**
 * The command {@code open}: serves one trace on loopback to a web application of one origin. Must not import:
 * the collector, converters, Kafka, picocli.
 */
@NullMarked
package dev.probestream.cli.open;

import org.jspecify.annotations.NullMarked;
