/**
 * Facts about the running machine and its processes: clocks, CPUs, capabilities, mounts, names, ends of processes.
 */
@NullMarked
package dev.probestream.bpf.machine;

import org.jspecify.annotations.NullMarked;
