/**
 * Talks to the kernel and the C library: the only package that may use jnr. System calls, memory and descriptors go
 * in; numbers, {@link dev.probestream.bpf.sys.Errno} and closable owners come out.
 *
 * <p>Knows nothing of BPF programs or maps (that is {@code bpf.kernel}) and must not import any other package of ours.
 */
@NullMarked
package dev.probestream.bpf.sys;

import org.jspecify.annotations.NullMarked;
