/**
 * A trace on loopback: one file comes in, a web application of a named origin, and no other, can read it. Must not import:
 * the collector, converters, Kafka, picocli.
 */
@NullMarked
package dev.probestream.cli.open;

import org.jspecify.annotations.NullMarked;
