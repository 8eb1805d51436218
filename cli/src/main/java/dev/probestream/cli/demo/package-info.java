/**
 * The sample that 'probestream demo' records: a Node server and its load come up here, and a recording of them comes in
 * to be summed up as a table of text.
 *
 * <p>Must not import: {@code dev.probestream.bpf}, {@code dev.probestream.collector}, picocli.
 */
@NullMarked
package dev.probestream.cli.demo;

import org.jspecify.annotations.NullMarked;
