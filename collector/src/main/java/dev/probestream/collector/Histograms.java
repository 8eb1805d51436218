package dev.probestream.collector;

import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.collector.event.ForkReader;
import dev.probestream.collector.event.LossCounter;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.process.LaunchedCommand;
import dev.probestream.collector.process.OwnPidNamespace;
import dev.probestream.collector.process.ResolveException;
import dev.probestream.collector.process.TargetProcesses;
import dev.probestream.collector.program.HistogramPlan;
import dev.probestream.collector.program.HistogramPlan.ResolvedHistogram;
import dev.probestream.collector.program.HistogramPlanner;
import dev.probestream.collector.program.layout.EventLayout;
import dev.probestream.collector.program.layout.HistogramLayout;
import dev.probestream.collector.program.layout.MapNames;
import dev.probestream.collector.resolve.ResolvedProbe;
import dev.probestream.collector.unseen.UnfollowedChildren;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts in the kernel: {@link #open} resolves and loads the probes, {@link #attach} attaches them, {@link #snapshot} reads the
 * counts any number of times, {@link #close} removes everything from the kernel. Nothing per hit goes through the ring. For one thread.
 */
public final class Histograms implements AutoCloseable {
    /** No event uses the ring; only task lifecycle records go there. */
    private static final int RING_SIZE_BYTES = 4096;

    private static final int POLL_LIMIT = 1024;

    private final TargetScope scope;
    private final List<LoadedHistogram> histograms;
    private final HistogramPlan plan;
    private final KernelObjects kernel;
    private final @Nullable LaunchedCommand launched;
    private final List<String> warnings;
    private final LossCounter lossCounter;
    private final Map<Integer, TreeMap<LossReason, Long>> lossesByProbe = new HashMap<>();
    private final TargetEnds targetEnds;
    private final UnfollowedChildren unfollowed = new UnfollowedChildren();
    private final ForkReader forks = new ForkReader(this::forked);
    private long startNs;
    private long endNs;
    private boolean isDetached;

    /** A spec, the probes it was resolved to, and how its map is read. */
    private record LoadedHistogram(
            HistogramSpec spec, List<ResolvedProbe> probes, HistogramLayout layout, HistogramReader reader) {}

    private Histograms(
            TargetScope scope,
            List<LoadedHistogram> histograms,
            HistogramPlan plan,
            KernelObjects kernel,
            @Nullable LaunchedCommand launched,
            List<String> warnings) {
        this.scope = scope;
        this.histograms = List.copyOf(histograms);
        this.plan = plan;
        this.kernel = kernel;
        this.launched = launched;
        this.warnings = warnings;
        this.startNs = ClockReading.monotonicNowNs();
        this.lossCounter = new LossCounter(0, kernel.map(MapNames.LOSSES));
        kernel.programs().forEach(loaded -> lossCounter.addProgram(loaded.planned(), loaded.program()));
        this.targetEnds = new TargetEnds(scope, launched);
    }

    /**
     * Finds the targets and the probes, and loads the programs; attaches nothing yet. A command is started and held.
     *
     * @throws ResolveException when a process or a probe cannot be found or may not be used
     * @throws IOException when a command cannot be started
     * @throws dev.probestream.collector.program.layout.ProbeArgumentException when a key or the value is not there
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, above all for lack of privileges
     * @throws dev.probestream.bpf.kernel.UnsupportedFeatureException when the kernel lacks what is needed
     */
    public static Histograms open(HistogramRequest request) throws ResolveException, IOException {
        OwnPidNamespace namespace = OwnPidNamespace.read();
        List<String> command = request.targets().command();
        @Nullable LaunchedCommand launched = command.isEmpty() ? null : LaunchedCommand.start(command);
        try {
            return open(request, launched, namespace);
        } catch (ResolveException | RuntimeException e) {
            if (launched != null) {
                launched.close();
            }
            throw e;
        }
    }

    private static Histograms open(
            HistogramRequest request, @Nullable LaunchedCommand launched, OwnPidNamespace namespace)
            throws ResolveException {
        TargetScope scope = TargetScope.of(
                request.targets(), request.followChildren(), launched == null ? 0 : launched.pid(), namespace);
        try (ProbeFinder finder = new ProbeFinder(scope, Optional.ofNullable(launched), false, false)) {
            finder.find(request.histograms().stream().map(HistogramSpec::probe).toList());
            return load(request, scope, finder, launched);
        } catch (ResolveException e) {
            throw request.targets().pids().isEmpty() ? withoutWaiting(e) : e;
        }
    }

    /** Other collections wait for the libraries of processes that are to come; maps and their layouts are made before. */
    private static ResolveException withoutWaiting(ResolveException e) {
        return switch (e.reason()) {
            case NO_FILE, NO_FUNCTION, NO_PROVIDER ->
                e.advising("hist does not wait for a library that is loaded later: name it by its path, as in"
                        + " usdt:/PATH:PROVIDER:NAME or uprobe:/PATH:FUNCTION");
            case NO_PROCESS, NOT_PERMITTED, NOT_PROBEABLE, NOT_MEANT, REFUSED -> e;
        };
    }

    private static Histograms load(
            HistogramRequest request, TargetScope scope, ProbeFinder finder, @Nullable LaunchedCommand launched) {
        List<List<ResolvedProbe>> found = bySpec(request.histograms(), finder.found());
        List<ResolvedHistogram> resolved = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            resolved.add(new ResolvedHistogram(request.histograms().get(i), found.get(i)));
        }
        KernelOptions options = KernelOptions.ask(kernelRequest(request), scope);
        HistogramPlan plan = HistogramPlanner.plan(
                resolved,
                options.options(),
                request.maxKeys(),
                PossibleCpus.ofThisMachine().count());
        List<LoadedHistogram> histograms = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            HistogramLayout layout = plan.histograms().get(i);
            histograms.add(new LoadedHistogram(
                    request.histograms().get(i),
                    found.get(i),
                    layout,
                    new HistogramReader(layout, names(found.get(i)))));
        }
        List<String> warnings = new ArrayList<>(finder.warnings());
        warnings.addAll(options.warnings());
        warnings.addAll(HostIds.warnings(scope, finder.found()));
        return new Histograms(
                scope, histograms, plan, KernelObjects.load(plan.plan(), options.attachMethod()), launched, warnings);
    }

    /** Which probes belong to which histogram. Several at the same probe find it once each, in their order. */
    private static List<List<ResolvedProbe>> bySpec(List<HistogramSpec> specs, List<ResolvedProbe> found) {
        List<List<ResolvedProbe>> bySpec = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            String text = specs.get(i).probe().text();
            List<ResolvedProbe> all = found.stream()
                    .filter(probe -> probe.spec().text().equals(text))
                    .toList();
            int share = all.size() / (int) count(specs, text);
            int before = (int) count(specs.subList(0, i), text);
            bySpec.add(all.subList(before * share, (before + 1) * share));
        }
        return bySpec;
    }

    private static long count(List<HistogramSpec> specs, String text) {
        return specs.stream().filter(spec -> spec.probe().text().equals(text)).count();
    }

    private static CollectionRequest kernelRequest(HistogramRequest request) {
        List<ProbeSpec> probes =
                request.histograms().stream().map(HistogramSpec::probe).toList();
        return new CollectionRequest(
                request.targets(), probes, Optional.empty(), request.followChildren(), RING_SIZE_BYTES, List.of());
    }

    private static Map<Integer, String> names(List<ResolvedProbe> probes) {
        Map<Integer, String> names = new HashMap<>();
        probes.forEach(probe -> names.put(probe.probeId(), probe.name()));
        return names;
    }

    /** Attaches the probes and lets a held command go. May be called once. */
    public void attach() {
        if (kernel.hasMap(MapNames.TARGETS)) {
            BpfMap targets = kernel.map(MapNames.TARGETS);
            scope.targets().forEach(target -> targets.update(BpfMap.key(target.pid()), BpfMap.key(1)));
        }
        kernel.attach();
        startNs = ClockReading.monotonicNowNs();
        lossCounter.begin(startNs);
        if (launched == null) {
            kernel.openWindow();
        } else {
            kernel.openWindowAtExec(launched.pid(), scope.translatedFrom(Optional.empty()));
        }
        for (RefusedAttachPoint point : kernel.refused()) {
            warnings.add("the kernel would not probe " + point.attachPoint() + ": " + point.reason());
        }
        if (launched != null) {
            launched.release();
        }
    }

    /** Detaches the probes: what {@link #snapshot} gives from here on is final and exact. */
    public void detach() {
        kernel.closeWindow();
        endNs = ClockReading.monotonicNowNs();
        lossCounter.end(endNs);
        kernel.detach();
        isDetached = true;
    }

    /** What was counted since the probes were attached. Counts are never reset, so that none is lost between readings. */
    public HistogramSnapshot snapshot() {
        long nowNs = isDetached ? endNs : ClockReading.monotonicNowNs();
        for (Loss loss : lossCounter.take(nowNs)) {
            lossesByProbe
                    .computeIfAbsent(loss.getProbeId(), unused -> new TreeMap<>())
                    .merge(loss.getReason(), loss.getCount(), Long::sum);
        }
        forgetEndedTargets();
        return new HistogramSnapshot(
                startNs, nowNs, histograms.stream().map(this::table).toList());
    }

    /** Why there is no traced process left, in words for a person; empty while there is. To be called often. */
    public Optional<String> ended() {
        readForks();
        return targetEnds.reason(this::hasLivingTargets);
    }

    /** What a user should know: features that are missing, attach points that the kernel refused, children not traced. */
    public List<String> warnings() {
        readForks();
        List<String> all = new ArrayList<>(warnings);
        unfollowed.hint().ifPresent(all::add);
        return all;
    }

    private void readForks() {
        kernel.ring().poll(forks, POLL_LIMIT);
        unfollowed.look();
    }

    private void forked(int parentPid, int pid, String comm) {
        if (!scope.isOpenEnded()) {
            unfollowed.started(parentPid, pid, comm);
        }
    }

    /** How many probes there are. */
    public int probeCount() {
        return histograms.stream()
                .mapToInt(histogram -> histogram.probes().size())
                .sum();
    }

    /** Gives back what the kernel holds, and ends a command that still runs. */
    @Override
    public void close() {
        targetEnds.close();
        kernel.close();
        if (launched != null) {
            launched.close();
        }
    }

    private HistogramTable table(LoadedHistogram histogram) {
        TreeMap<LossReason, Long> losses = new TreeMap<>();
        for (ResolvedProbe probe : histogram.probes()) {
            lossesByProbe
                    .getOrDefault(probe.probeId(), new TreeMap<>())
                    .forEach((reason, count) -> losses.merge(reason, count, Long::sum));
        }
        return new HistogramTable(
                histogram.spec(),
                histogram.reader().read(kernel.map(histogram.layout().mapName())),
                losses,
                isDetached ? openCalls(histogram) : 0);
    }

    private long openCalls(LoadedHistogram histogram) {
        List<Integer> ids =
                histogram.probes().stream().map(ResolvedProbe::probeId).toList();
        long[] count = new long[1];
        plan.plan()
                .pairingMaps()
                .forEach(pairing -> kernel.map(pairing.mapName())
                        .forEach((key, value) -> count[0] += ids.contains(probeId(value)) ? 1 : 0));
        return count[0];
    }

    /** An entry of a pairing map begins as a sample does. */
    private static int probeId(ByteBuffer entry) {
        return entry.getInt(entry.position() + EventLayout.PROBE_ID_OFFSET);
    }

    private boolean hasLivingTargets() {
        return forgetEndedTargets() > 0;
    }

    /** The number of a process that is gone may be another's one day; how many are left. */
    private int forgetEndedTargets() {
        if (!kernel.hasMap(MapNames.TARGETS)) {
            return 0;
        }
        BpfMap targets = kernel.map(MapNames.TARGETS);
        List<Integer> gone = new ArrayList<>();
        int[] left = new int[1];
        targets.forEach((key, value) -> {
            int pid = key.getInt(key.position());
            if (TargetProcesses.hasEnded(pid)) {
                gone.add(pid);
            } else {
                left[0]++;
            }
        });
        gone.forEach(pid -> targets.delete(BpfMap.key(pid)));
        return left[0];
    }
}
