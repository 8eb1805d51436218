/**
 * Gives programs and maps to the kernel: a {@link dev.probestream.bpf.kernel.MapSpec} becomes a map, a
 * {@link dev.probestream.bpf.kernel.ProgramSpec} a loaded program, and an attached program a link that ends when it is
 * closed.
 *
 * <p>Everything here that holds a kernel object is closed by whoever opened it. Must not import jnr (that is
 * {@code bpf.sys}) nor anything of {@code dev.probestream.collector}.
 */
@NullMarked
package dev.probestream.bpf.kernel;

import org.jspecify.annotations.NullMarked;
