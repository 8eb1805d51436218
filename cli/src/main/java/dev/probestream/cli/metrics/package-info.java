/**
 * Metrics for Prometheus: counters and states of a collection or a sink, served as a page in Prometheus' text format on
 * the loopback address. The only package that uses its client library. Must not import: Kafka, picocli.
 */
@NullMarked
package dev.probestream.cli.metrics;

import org.jspecify.annotations.NullMarked;
