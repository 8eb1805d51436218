/**
 * The command {@code demo}: starts a Node server with a load, records it into Kafka, summarizes the topic as a table, and
 * counts the events in the files of three sinks.
 *
 * <p>Must not import: {@code dev.probestream.bpf}, {@code dev.probestream.collector}, picocli.
 */
@NullMarked
package dev.probestream.cli.demo;

import org.jspecify.annotations.NullMarked;
