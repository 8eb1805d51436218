/**
 * Loads programs with their maps and attaches them. In: {@link dev.probestream.bpf.kernel.ObjectsSpec}, or single
 * {@link dev.probestream.bpf.kernel.ProgramSpec}s and the maps that they use. Out: maps, programs
 * and {@link dev.probestream.bpf.kernel.Link}s, and {@link dev.probestream.bpf.kernel.Executable}s whose functions are
 * probed by name.
 *
 * <p>Whoever opens an object closes it. Must not import jnr-ffi nor {@code bpf.ring}.
 */
@NullMarked
package dev.probestream.bpf.kernel;

import org.jspecify.annotations.NullMarked;
