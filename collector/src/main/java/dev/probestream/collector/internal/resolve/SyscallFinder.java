package dev.probestream.collector.internal.resolve;

import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;

/** Looks for the system call that a spec names. */
public final class SyscallFinder {
    private SyscallFinder() {}

    /**
     * Looks for it in the table of this machine.
     *
     * @param spec at one system call ({@link ProbeKind#isOneSyscall})
     * @throws ResolveException when there is none of the name, with the nearest names
     */
    public static void require(ProbeSpec spec) throws ResolveException {
        SyscallTable table = SyscallTable.ofThisMachine();
        if (table.number(spec.function()).isEmpty()) {
            throw new ResolveException(
                    Reason.NO_FUNCTION,
                    "resolve " + spec.text() + ": there is no system call " + spec.function()
                            + TracepointFinder.suggestions(spec.function(), table.names()));
        }
    }
}
