/**
 * What to probe, as values: a {@link dev.probestream.collector.probe.ProbeSpec}, its arguments, filter and flags, and the
 * exceptions about them. Texts become specs in the package {@code parse}, presets in {@code preset}. Reads nothing. Must not
 * import the kernel layer ({@code dev.probestream.bpf}) nor the steps behind it (resolve, program, event).
 */
@NullMarked
package dev.probestream.collector.probe;

import org.jspecify.annotations.NullMarked;
