/**
 * bpf(2) and perf_event_open(2): commands, attributes, and what may have made the kernel refuse. In: numbers and
 * descriptors. Out: raw results, or closable owners of descriptors. Must not import {@code bpf.kernel} nor {@code bpf.map},
 * which use it.
 */
@NullMarked
package dev.probestream.bpf.internal.syscall;

import org.jspecify.annotations.NullMarked;
