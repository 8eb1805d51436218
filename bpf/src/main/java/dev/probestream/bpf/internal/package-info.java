/**
 * System calls, native memory and the C++ runtime library through jnr-ffi; no other package may use it. Not part of
 * the API: only packages of this module may import it. In: numbers and buffers. Out: raw results, or closable owners of
 * descriptors and mappings. Must not import {@code bpf.kernel}.
 */
@NullMarked
package dev.probestream.bpf.internal;

import org.jspecify.annotations.NullMarked;
