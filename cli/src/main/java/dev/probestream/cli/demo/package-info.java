/**
 * The ends of what 'probestream demo' shows: a Node server and its load come up here, what Kafka carries of them comes in
 * to be summed up as a table of text, and three sinks bring it into files, which are counted.
 *
 * <p>Must not import: {@code dev.probestream.bpf}, {@code dev.probestream.collector}, picocli.
 */
@NullMarked
package dev.probestream.cli.demo;

import org.jspecify.annotations.NullMarked;
