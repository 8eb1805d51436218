/**
 * The commands: arguments come in, a recording, a trace or a report goes out, and an exit code.
 *
 * <p>This is where the steps are wired together and where every failure becomes one message and one exit code
 * ({@link dev.probestream.cli.Failures}). Must not import: jnr-ffi, Avro encoders; nothing here talks to the kernel but
 * through {@code dev.probestream.collector} and {@code dev.probestream.bpf.kernel}.
 */
@NullMarked
package dev.probestream.cli;

import org.jspecify.annotations.NullMarked;
