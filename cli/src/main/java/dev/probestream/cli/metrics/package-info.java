/**
 * What Prometheus is told: counts and states of a collection or a sink come in, a page in Prometheus' text format on the
 * loopback address goes out. The only package that knows its client library. Must not import: Kafka, picocli.
 */
@NullMarked
package dev.probestream.cli.metrics;

import org.jspecify.annotations.NullMarked;
