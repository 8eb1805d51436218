package dev.probestream.collector.internal.cost;

import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;

/**
 * What the kernel takes of a thread to come to a program and back, without the program's own time.
 *
 * @param entryNs of a uprobe on an instruction that the kernel emulates
 * @param returnNs of the return of a call that is probed at its entry, too
 * @param syscallNs of the raw tracepoints sys_enter and sys_exit together
 * @param rawTracepointNs of any other raw tracepoint
 * @param tracepointNs of a tracepoint of perf
 * @param clockNs of a sample of the cpu
 */
public record TrapPrices(
        double entryNs,
        double returnNs,
        double syscallNs,
        double rawTracepointNs,
        double tracepointNs,
        double clockNs) {
    /** As measured on Linux 6.18 on an AMD EPYC in a VM; used until, or where, this machine is not measured. */
    public static final TrapPrices USUAL = new TrapPrices(550, 300, 80, 15, 100, 1500);

    /**
     * The price of one hit of a program.
     *
     * @param shares how traps of uprobes are shared
     */
    double of(PlannedProgram program, int probeId, SharedTraps shares) {
        Attachment attachment = program.attachment();
        return switch (attachment.kind()) {
            case USER_ENTRY -> entryNs * shares.share(probeId, false);
            case USER_RETURN -> {
                // Of a span, the program at the entry has the price of the breakpoint.
                double breakpointNs = program.isSpanReturn() ? 0 : entryNs * shares.share(probeId, false);
                yield breakpointNs + returnNs * shares.share(probeId, true);
            }
            case TRACEPOINT -> tracepointNs;
            case RAW_TRACEPOINT -> attachment.tracepoint().startsWith("sys_") ? syscallNs / 2 : rawTracepointNs;
            case CPU_CLOCK -> clockNs;
        };
    }
}
