/**
 * Facts about the running machine and its processes: clocks, CPUs, capabilities, host name, process exit, demangled
 * names. In: nothing, or a process id. Out: values. Must not import jnr-ffi nor {@code bpf.kernel}.
 */
@NullMarked
package dev.probestream.bpf.machine;

import org.jspecify.annotations.NullMarked;
