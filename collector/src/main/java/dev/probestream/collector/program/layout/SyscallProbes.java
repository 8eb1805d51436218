package dev.probestream.collector.program.layout;

/**
 * How system calls are numbered as probes: the call's number is added to the id of the first. A call whose number has
 * no place (one of another ABI such as x32 or 32-bit) shares the last id.
 */
public final class SyscallProbes {
    /** How many ids are set aside; asm-generic/unistd.h is below 480 in 6.18. */
    public static final int COUNT = 640;

    private SyscallProbes() {}
}
