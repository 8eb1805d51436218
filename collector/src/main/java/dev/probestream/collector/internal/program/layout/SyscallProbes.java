package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.ProbeKind;

/**
 * How system calls are numbered as probes: the call's number is added to the id of the first. A call whose number has
 * no place (one of another ABI such as x32 or 32-bit) shares the last id.
 */
public final class SyscallProbes {
    /** How many ids are reserved. */
    public static final int COUNT = ProbeKind.SYSCALLS.idCount();

    private SyscallProbes() {}
}
