package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.machine.TrialCode.Site;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;

/**
 * What the kernel takes of a thread to come to a program and back, without the program's own time.
 *
 * @param entryNs of a uprobe on an instruction that the kernel emulates
 * @param nop5Ns of one on a nop of 5 bytes
 * @param steppedNs of one on an instruction that the kernel executes in single step
 * @param returnNs of the return of a call that is probed at its entry, too
 * @param syscallNs of the raw tracepoints sys_enter and sys_exit together
 * @param rawTracepointNs of any other raw tracepoint
 * @param tracepointNs of a tracepoint of perf
 * @param clockNs of a sample of the cpu
 * @param rejectedNs of a program that rejects a process which is not traced: the program's own time
 * @param statisticsNs what the kernel's statistics add to the time of a run
 */
public record TrapPrices(
        double entryNs,
        double nop5Ns,
        double steppedNs,
        double returnNs,
        double syscallNs,
        double rawTracepointNs,
        double tracepointNs,
        double clockNs,
        double rejectedNs,
        double statisticsNs) {
    /** As measured on Linux 6.18 on an AMD EPYC in a VM; used until, or where, this machine is not measured. */
    public static final TrapPrices USUAL = new TrapPrices(500, 450, 10_000, 280, 80, 15, 100, 1500, 15, 20);

    TrapPrices withEntry(Site site, double ns) {
        return new TrapPrices(
                site == Site.PUSH ? ns : entryNs,
                site == Site.NOP5 ? ns : nop5Ns,
                site == Site.STEPPED ? ns : steppedNs,
                returnNs,
                syscallNs,
                rawTracepointNs,
                tracepointNs,
                clockNs,
                rejectedNs,
                statisticsNs);
    }

    TrapPrices withReturn(double ns) {
        return new TrapPrices(
                entryNs,
                nop5Ns,
                steppedNs,
                ns,
                syscallNs,
                rawTracepointNs,
                tracepointNs,
                clockNs,
                rejectedNs,
                statisticsNs);
    }

    TrapPrices withSyscall(double ns) {
        return new TrapPrices(
                entryNs,
                nop5Ns,
                steppedNs,
                returnNs,
                ns,
                rawTracepointNs,
                tracepointNs,
                clockNs,
                rejectedNs,
                statisticsNs);
    }

    TrapPrices withRejected(double ns) {
        return new TrapPrices(
                entryNs,
                nop5Ns,
                steppedNs,
                returnNs,
                syscallNs,
                rawTracepointNs,
                tracepointNs,
                clockNs,
                ns,
                statisticsNs);
    }

    TrapPrices withStatistics(double ns) {
        return new TrapPrices(
                entryNs,
                nop5Ns,
                steppedNs,
                returnNs,
                syscallNs,
                rawTracepointNs,
                tracepointNs,
                clockNs,
                rejectedNs,
                ns);
    }

    /**
     * The price of one hit of a program.
     *
     * @param traps where the probes are
     */
    double of(PlannedProgram program, int probeId, UprobeTraps traps) {
        Attachment attachment = program.attachment();
        return switch (attachment.kind()) {
            case USER_ENTRY -> traps.entryNs(probeId, this);
            // Of a span, the program at the entry has the price of the breakpoint.
            case USER_RETURN ->
                (program.isSpanReturn() ? 0 : traps.entryNs(probeId, this)) + traps.returnNs(probeId, this);
            case TRACEPOINT -> tracepointNs;
            case RAW_TRACEPOINT -> attachment.tracepoint().startsWith("sys_") ? syscallNs / 2 : rawTracepointNs;
            case CPU_CLOCK -> clockNs;
        };
    }

    /** The price of a breakpoint. */
    double at(Site site) {
        return switch (site) {
            case PUSH -> entryNs;
            case NOP5 -> nop5Ns;
            case STEPPED -> steppedNs;
        };
    }
}
