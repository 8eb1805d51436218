/**
 * The system calls of a machine: {@code SyscallTable} gives their names, numbers and arguments, which stand in a resource for each
 * architecture. Must not import decoders, programs or planners, but only the layouts of programs.
 */
package dev.probestream.collector.internal.syscall;
