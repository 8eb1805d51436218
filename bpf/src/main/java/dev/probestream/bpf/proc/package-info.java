/** Reads /proc/PID (proc_pid_maps(5), proc_pid_status(5)). */
@NullMarked
package dev.probestream.bpf.proc;

import org.jspecify.annotations.NullMarked;
