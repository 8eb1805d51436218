/**
 * Reads the kernel's ring buffer from mapped memory: a {@code BpfMap} of type RINGBUF comes in, borrowed samples go out
 * to a {@link dev.probestream.bpf.ring.SampleHandler}, without a native call or an allocation per sample.
 *
 * <p>The content of a sample is opaque here. Must not import jnr-ffi.
 */
@NullMarked
package dev.probestream.bpf.ring;

import org.jspecify.annotations.NullMarked;
