/**
 * What the kernel reports about the processes and programs of the whole machine without a program of ours: code that is
 * mapped, programs that are executed, and how often and how long BPF programs run. In: nothing. Out: records by a callback,
 * as long as the watch is open. Must not import {@code bpf.kernel}.
 */
@NullMarked
package dev.probestream.bpf.watch;

import org.jspecify.annotations.NullMarked;
