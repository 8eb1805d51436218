/**
 * Reads /proc/PID (proc_pid_maps(5), proc_pid_status(5)). In: a process id or the text of such a file. Out: memory
 * mappings and single values. Must not import any other package of Probestream.
 */
@NullMarked
package dev.probestream.bpf.proc;

import org.jspecify.annotations.NullMarked;
