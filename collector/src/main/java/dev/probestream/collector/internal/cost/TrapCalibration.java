package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.machine.TrialCode;
import dev.probestream.bpf.machine.TrialCode.Site;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.bpf.watch.RunStatistics;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the traps of this machine on functions of this process: the time of a call with an empty program less the time of
 * a call without. System calls are measured before and while their tracepoints are enabled by the capture. Takes some
 * milliseconds of CPU time, and longer on the clock, because detaching waits. For one thread at a time.
 */
final class TrapCalibration implements AutoCloseable {
    /** A round is so short that few of them are interrupted, and the median of the rounds was not. */
    private static final int ROUNDS = 25;

    private static final int CALLS_PER_ROUND = 50;

    private final UprobeAttachMethod method;
    private final boolean isSleepable;
    private final TrialCode code;
    private double plainSystemCallNs;

    private TrapCalibration(UprobeAttachMethod method, boolean isSleepable, TrialCode code) {
        this.method = method;
        this.isSleepable = isSleepable;
        this.code = code;
    }

    /** Nothing where functions cannot be made for this machine, or not be executed. */
    static @Nullable TrapCalibration prepare(UprobeAttachMethod method, boolean isSleepable) {
        if (!TrialCode.isSupported()) {
            return null;
        }
        try {
            return new TrapCalibration(method, isSleepable, TrialCode.open());
        } catch (SyscallException e) {
            return null;
        }
    }

    /** To be called before the tracepoints of system calls are enabled; takes a fraction of a millisecond. */
    void beforeSystemCallsAreProbed() {
        plainSystemCallNs = medianNs(() -> code.callSystem(CALLS_PER_ROUND));
    }

    /**
     * Measures what the capture needs. The tracepoints of system calls are enabled by now.
     *
     * @param sites how the probed functions begin; empty when there are none
     * @param ofSystemCalls the capture's programs at sys_enter and sys_exit, which reject this process
     * @throws SyscallException when the kernel refuses a probe
     */
    TrapPrices measure(Set<Site> sites, List<BpfProgram> ofSystemCalls) {
        TrapPrices measured = TrapPrices.USUAL;
        if (!sites.isEmpty()) {
            measured = entries(sites, measured);
        }
        if (plainSystemCallNs > 0 && !ofSystemCalls.isEmpty()) {
            double probedNs = medianNs(() -> code.callSystem(CALLS_PER_ROUND));
            double rejectedNs = 0;
            for (BpfProgram program : ofSystemCalls) {
                rejectedNs += Math.max(0, runNs(program, code::callSystem) - measured.statisticsNs());
            }
            measured = measured.withRejected(rejectedNs / ofSystemCalls.size())
                    .withSyscall(Math.max(0, probedNs - plainSystemCallNs - rejectedNs));
        }
        return measured;
    }

    @SuppressWarnings("try") // the links do their work by being there
    private TrapPrices entries(Set<Site> sites, TrapPrices prices) {
        TrapPrices measured = prices;
        try (BpfProgram program = BpfProgram.load(emptyProgram(), Map.of())) {
            for (Site site : sites) {
                double plainNs = medianNs(() -> code.call(site, CALLS_PER_ROUND));
                double entryNs;
                try (Link entry = attach(program, site, false)) {
                    entryNs = medianNs(() -> code.call(site, CALLS_PER_ROUND)) - plainNs;
                    measured = measured.withEntry(site, entryNs);
                    if (site == Site.PUSH) {
                        measured = measured.withStatistics(runNs(program, times -> code.call(site, times)));
                        try (Link returned = attach(program, site, true)) {
                            double bothNs = medianNs(() -> code.call(site, CALLS_PER_ROUND)) - plainNs;
                            measured = measured.withReturn(bothNs - entryNs);
                        }
                    }
                }
            }
        }
        return measured;
    }

    /** What the kernel measures as the time of a run of a program. */
    @SuppressWarnings("try") // the statistics are counted while they are open
    private static double runNs(BpfProgram program, IntConsumer calls) {
        double[] rounds = new double[ROUNDS];
        try (RunStatistics statistics = RunStatistics.open()) {
            for (int i = 0; i < ROUNDS; i++) {
                BpfProgram.Runs before = program.runs();
                calls.accept(CALLS_PER_ROUND);
                BpfProgram.Runs added = program.runs().since(before);
                rounds[i] = added.count() == 0 ? 0 : (double) added.timeNs() / added.count();
            }
        }
        return median(rounds);
    }

    private Link attach(BpfProgram program, Site site, boolean isReturn) {
        AttachPoint point = new AttachPoint(code.path(), site.fileOffset(), 0, 0);
        int pid = Math.toIntExact(ProcessHandle.current().pid());
        return Uprobes.attach(method, program, List.of(point), isReturn, pid);
    }

    private ProgramSpec emptyProgram() {
        return new ProgramSpec(
                "cost_trial",
                ProgramType.KPROBE,
                method.attachType(),
                isSleepable ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                new Assembler().mov(Register.R0, 0).exit().assemble());
    }

    /** The time of one call. */
    private static double medianNs(Runnable calls) {
        double[] rounds = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long beginNs = System.nanoTime();
            calls.run();
            rounds[i] = (double) (System.nanoTime() - beginNs) / CALLS_PER_ROUND;
        }
        return median(rounds);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    @Override
    public void close() {
        code.close();
    }
}
