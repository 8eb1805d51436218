package dev.probestream.collector.catalog;

/**
 * What is known about the file {@code /tmp/perf-PID.map} in which a process names the code that it generates
 * (tools/perf/Documentation/jit-interface.txt of Linux).
 */
public enum PerfMapState {
    /** There is no such file. */
    MISSING,
    /** It was last written before the process started, by another process with the same pid. */
    OLDER_THAN_PROCESS,
    /** It is owned neither by the process's user nor by root, or it is a symbolic link, or not a regular file. */
    OF_A_STRANGER,
    /** The process wrote it: frames of generated code have names. */
    OWN
}
