package dev.probestream.collector.internal.program.code;

import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.probe.ProbeSpec;

/**
 * The probes of system calls, which get their records one by one when a call is first seen.
 *
 * @param firstProbeId the probe of system call 0; the others follow by number
 * @param spec as asked for
 * @param layout of their samples
 */
public record PlannedSyscalls(int firstProbeId, ProbeSpec spec, SyscallLayout layout) {
    /** Size of a value of {@link dev.probestream.collector.internal.program.layout.MapNames#OPEN_SYSCALLS}. */
    public int openSizeBytes() {
        return spec.isSummed() ? SyscallLayout.THREAD_SIZE_BYTES : SyscallLayout.ENTRY_SIZE_BYTES;
    }

    /** Whether a probe is one of these. */
    public boolean covers(int probeId) {
        return probeId >= firstProbeId && probeId < firstProbeId + SyscallProbes.COUNT;
    }

    /** The number of the system call; the last place stands for all that have none. */
    public int number(int probeId) {
        return probeId - firstProbeId;
    }
}
