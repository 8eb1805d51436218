package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.machine.ProcessCpuClock;
import dev.probestream.bpf.machine.TrialCode.Site;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Measures what a capture costs its targets: hits are counted by the programs, the price of a hit is measured. For the thread
 * that reads the capture. {@link #turn} is to be called often; it has something to do a few times in ten seconds.
 */
public final class CostMeter implements AutoCloseable {
    private final HitCounts hits;
    private final Targets targets;
    private final IntFunction<String> syscallName;
    private final ProgramTimes times = new ProgramTimes();
    private final HitPrices prices = new HitPrices();
    private final TargetCpu cpu = new TargetCpu(ProcessCpuClock::ns);
    private final Map<Integer, PlannedProbe> probes = new HashMap<>();
    private Optional<PlannedSyscalls> syscalls = Optional.empty();
    private final Calibrating calibrating = new Calibrating();
    private TrapPrices trapPrices = TrapPrices.USUAL;
    private boolean isPrepared;
    private boolean isCalibrated;
    private long beginNs;

    /** The traced processes. */
    public interface Targets {
        /** Those that live. */
        List<Integer> livingPids();

        /** When a process began, by CLOCK_MONOTONIC; -1 = not known. */
        long startNs(int pid);
    }

    /**
     * @param hits the plan's map of that name; borrowed for the lifetime of this object
     * @param syscallName the name of a system call by its number
     */
    public CostMeter(BpfMap hits, Targets targets, IntFunction<String> syscallName) {
        this.hits = new HitCounts(hits);
        this.targets = targets;
        this.syscallName = syscallName;
    }

    /** Takes in what a plan probes; its programs follow. */
    public void add(ProgramPlan plan) {
        plan.syscalls().ifPresent(planned -> syscalls = Optional.of(planned));
        plan.probes().forEach(probe -> probes.put(probe.probeId(), probe));
    }

    /** Takes in a program that the kernel has loaded. */
    public void add(PlannedProgram planned, BpfProgram program) {
        List<Integer> probeIds = probeIds(planned);
        prices.add(times.add(planned, probeIds, program), probeIds);
        if (!isPrepared) {
            calibrating.add(planned, program);
        } else {
            note(ProbedCode.sites(planned.attachment().uprobes().stream()
                    .map(PlannedProgram.Uprobe::location)
                    .toList()));
        }
    }

    /**
     * Prepares the calibration of traps: all programs are known, and none is attached yet.
     *
     * @param method by which uprobes are attached
     * @param isSleepable whether their programs may sleep
     */
    public void prepare(UprobeAttachMethod method, boolean isSleepable) {
        calibrating.prepare(method, isSleepable);
        isPrepared = true;
    }

    private void note(Map<UprobeLocation, Site> sites) {
        sites.forEach(prices.traps()::note);
    }

    private void apply(Calibrating.Result result) {
        if (!isCalibrated) {
            isCalibrated = true;
            trapPrices = result.prices();
            note(result.sites());
        }
    }

    /** The window is opened next. */
    public void begin(long nowNs, List<Integer> pids) {
        beginNs = nowNs;
        cpu.begin(pids);
        times.begin(nowNs);
    }

    /** Does what is due. */
    public void turn(long nowNs) {
        calibrating.begin();
        calibrating.result().ifPresent(this::apply);
        if (times.isTime(nowNs)) {
            times.turn(nowNs, hits.read());
        }
    }

    /** What the capture cost from the beginning until now. */
    public CostReading read(long nowNs) {
        return reading(hits.read(), nowNs, cpu.read(targets.livingPids(), pid -> targets.startNs(pid) >= beginNs));
    }

    /**
     * What it cost when all programs have ended.
     *
     * @param closedNs when the window was closed
     * @param cpuNs the targets' CPU time until then
     */
    public CostReading end(long closedNs, long cpuNs) {
        long[] counts = hits.read();
        times.end(counts);
        calibrating.await().ifPresent(this::apply);
        return reading(counts, closedNs, cpuNs);
    }

    private CostReading reading(long[] counts, long nowNs, long cpuNs) {
        List<CostReading.OfProbe> costs = new ArrayList<>();
        for (int probeId = 1; probeId < counts.length; probeId++) {
            if (counts[probeId] > 0) {
                costs.add(cost(probeId, counts[probeId]));
            }
        }
        return new CostReading(beginNs, nowNs, cpuNs, costs);
    }

    @Override
    public void close() {
        times.close();
        calibrating.close();
    }

    private CostReading.OfProbe cost(int probeId, long count) {
        return new CostReading.OfProbe(
                probeId,
                name(probeId),
                category(probeId),
                count,
                Math.round(count * prices.programNs(probeId, trapPrices)),
                Math.round(count * prices.trapNs(probeId, trapPrices)));
    }

    private String name(int probeId) {
        return syscalls.filter(calls -> calls.covers(probeId))
                .map(calls -> syscallName.apply(calls.number(probeId)))
                .orElseGet(
                        () -> probes.containsKey(probeId) ? probes.get(probeId).name() : "probe " + probeId);
    }

    private String category(int probeId) {
        PlannedProbe probe = probes.get(probeId);
        return probe == null ? "syscalls" : probe.spec().preset().category();
    }

    /** A program of system calls serves them all. */
    private List<Integer> probeIds(PlannedProgram planned) {
        return syscalls.filter(calls -> planned.probeIds().stream().anyMatch(calls::covers))
                .map(calls -> IntStream.range(0, SyscallProbes.COUNT)
                        .mapToObj(number -> calls.firstProbeId() + number)
                        .toList())
                .orElse(planned.probeIds());
    }
}
