package dev.probestream.collector;

import dev.probestream.bpf.kernel.KernelFeature;
import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.collector.histogram.HistogramSnapshot;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.internal.capture.LateAttachment;
import dev.probestream.collector.internal.capture.PreparedCapture;
import dev.probestream.collector.internal.event.HistogramSamples;
import dev.probestream.collector.internal.event.LossCounter;
import dev.probestream.collector.internal.event.TaskLifecycleListener;
import dev.probestream.collector.internal.find.ProbeFinder;
import dev.probestream.collector.internal.histogram.HistogramStacks;
import dev.probestream.collector.internal.histogram.RunningHistogram;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.kernel.KernelOptions;
import dev.probestream.collector.internal.kernel.KernelTypes;
import dev.probestream.collector.internal.kernel.LivingTargets;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.OwnPidNamespace;
import dev.probestream.collector.internal.program.HistogramPlan;
import dev.probestream.collector.internal.program.HistogramPlan.ResolvedHistogram;
import dev.probestream.collector.internal.program.HistogramPlanner;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.scope.HostIds;
import dev.probestream.collector.internal.scope.TargetEnds;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.unseen.UnfollowedChildren;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.async.ContextProcesses;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts in the kernel: {@link #open} resolves and loads the probes, {@link #attach} attaches them, {@link #snapshot} reads the
 * counts any number of times, {@link #close} removes everything from the kernel. Nothing per hit goes through the ring: a stack
 * does once, when it is new. For one thread.
 */
public final class Histograms implements AutoCloseable {
    /** Without stacks only task lifecycle records go through the ring. */
    private static final int RING_SIZE_BYTES = 4096;

    /** A program that sends a stack can be interrupted for so long, and what others sent later is read before it. */
    private static final long MAPPINGS_AFTER_NS = 100_000_000L;

    private static final int POLL_LIMIT = 1024;

    private final HistogramRequest request;
    private final TargetScope scope;
    private final ProbeFinder finder;
    private final KernelOptions options;
    private final List<RunningHistogram> histograms;
    private final KernelObjects kernel;
    private final @Nullable LaunchedCommand launched;
    private final List<String> warnings;
    private final LossCounter lossCounter;
    private final Map<Integer, TreeMap<LossReason, Long>> lossesByProbe = new HashMap<>();
    private final LivingTargets targets;
    private final LateAttachment late;
    private final TargetEnds targetEnds;
    private final UnfollowedChildren unfollowed = new UnfollowedChildren();
    private final Optional<ContextProcesses> contexts;
    private final Optional<HistogramStacks> stacks;
    private final HistogramSamples samples = new HistogramSamples(new Tasks(), this::newStack);
    private long startNs;
    private long endNs;
    private boolean isDetached;

    private Histograms(
            HistogramRequest request,
            TargetScope scope,
            ProbeFinder finder,
            KernelOptions options,
            V8Executables executables,
            List<RunningHistogram> histograms,
            ProgramPlan plan,
            KernelObjects kernel,
            @Nullable LaunchedCommand launched) {
        this.request = request;
        this.scope = scope;
        this.finder = finder;
        this.options = options;
        this.histograms = histograms;
        this.kernel = kernel;
        this.launched = launched;
        this.warnings = new ArrayList<>(finder.warnings());
        warnings.addAll(options.warnings());
        warnings.addAll(HostIds.warnings(scope, finder.found()));
        this.startNs = ClockReading.monotonicNowNs();
        this.lossCounter = new LossCounter(0, kernel.map(MapNames.LOSSES));
        kernel.programs().forEach(loaded -> lossCounter.addProgram(loaded.planned(), loaded.program()));
        this.targets = new LivingTargets(scope, request.targets(), kernel);
        this.late = new LateAttachment(
                kernel,
                loaded -> lossCounter.addProgram(loaded.planned(), loaded.program()),
                finder.late(),
                this::planMore);
        late.begin(plan);
        this.targetEnds = new TargetEnds(scope, launched);
        this.stacks =
                hasStacks(request) ? Optional.of(new HistogramStacks(kernel, options, executables)) : Optional.empty();
        this.contexts = ContextProcesses.of(kernel.maps());
    }

    /**
     * Finds the targets and the probes, and loads the programs; attaches nothing yet. A command is started and held.
     *
     * @param request what to count
     * @return the counting, not attached yet; the caller closes it
     * @throws ResolveException when a process or a probe cannot be found or may not be used
     * @throws IOException when a command cannot be started
     * @throws dev.probestream.collector.probe.ProbeArgumentException when a key or the value is not there
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, above all for lack of privileges
     * @throws dev.probestream.bpf.kernel.UnsupportedFeatureException when the kernel lacks what is needed: Linux 5.8, and for
     *     counts by stack and sums 5.12
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
        List<ProbeSpec> probes =
                request.histograms().stream().map(HistogramSpec::probe).toList();
        TargetScope scope = TargetScope.of(
                request.targets(),
                request.followChildren(),
                launched == null ? 0 : launched.pid(),
                namespace,
                ProbeFinder.areFoundBeforehand(probes));
        boolean mayWait = request.targets().pids().isEmpty();
        ProbeFinder finder = new ProbeFinder(scope, Optional.ofNullable(launched), mayWait, true);
        try {
            V8Executables executables = PreparedCapture.executables(probes, scope, launched);
            finder.find(probes);
            return load(request, scope, finder, executables, launched);
        } catch (ResolveException | RuntimeException e) {
            finder.close();
            throw e;
        }
    }

    private static Histograms load(
            HistogramRequest request,
            TargetScope scope,
            ProbeFinder finder,
            V8Executables executables,
            @Nullable LaunchedCommand launched) {
        List<RunningHistogram> histograms = RunningHistogram.of(request.histograms());
        List<ResolvedHistogram> resolved = RunningHistogram.assign(histograms, finder.found(), mapName -> false);
        CollectionRequest kernelRequest = kernelRequest(request);
        boolean hasSums = request.histograms().stream()
                .anyMatch(spec -> spec.bucketing().form().isOfSums());
        if (hasSums || hasStacks(request)) {
            KernelOptions.require(KernelFeature.ATOMIC_FETCH);
        }
        KernelTypes types = new KernelTypes();
        KernelOptions options = KernelOptions.ask(kernelRequest, scope, types)
                .withJavaScript(kernelRequest, scope, executables, types)
                .withContexts(kernelRequest, types);
        HistogramPlan plan = HistogramPlanner.plan(
                resolved,
                options.options(),
                request.maxKeys(),
                PossibleCpus.ofThisMachine().count(),
                finder.maxProbeId(),
                hasStacks(request));
        RunningHistogram.planned(histograms, plan);
        KernelObjects kernel = KernelObjects.load(plan.plan(), options.attachMethod(), types);
        return new Histograms(request, scope, finder, options, executables, histograms, plan.plan(), kernel, launched);
    }

    /** Plans probes that were found late: a {@link LateAttachment.Planner}. */
    private ProgramPlan planMore(List<ResolvedProbe> found, int batch) {
        HistogramPlan plan = HistogramPlanner.planMore(
                RunningHistogram.assign(histograms, found, kernel::hasMap),
                options.options(),
                request.maxKeys(),
                PossibleCpus.ofThisMachine().count(),
                batch);
        RunningHistogram.planned(histograms, plan);
        return plan.plan();
    }

    private static CollectionRequest kernelRequest(HistogramRequest request) {
        List<ProbeSpec> probes =
                request.histograms().stream().map(HistogramSpec::probe).toList();
        return CollectionRequest.of(request.targets())
                .probes(probes)
                .followChildren(request.followChildren())
                .ringSizeBytes(hasStacks(request) ? ProgramOptions.DEFAULT_RING_SIZE_BYTES : RING_SIZE_BYTES)
                .build();
    }

    private static boolean hasStacks(HistogramRequest request) {
        return request.histograms().stream()
                .anyMatch(spec -> spec.keys().stream().anyMatch(spec::isStack));
    }

    /** Attaches the probes and lets a held command go. May be called once. */
    public void attach() {
        targets.begin();
        lookAtContexts();
        stacks.ifPresent(each -> each.prepare(kernelRequest(request), scope, launched != null));
        kernel.attach();
        stacks.ifPresent(HistogramStacks::awaitPreparation);
        startNs = ClockReading.monotonicNowNs();
        lossCounter.begin(startNs);
        scope.leftOut(scope.living()).ifPresent(warnings::add);
        if (launched == null) {
            kernel.openWindow();
        } else {
            kernel.openWindowAtExec(launched.pid(), scope.pidNamespace(false));
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
        readSamples();
        isDetached = true;
    }

    /**
     * {@return what was counted since the probes were attached} Counts are never reset, so that none is lost between
     * readings.
     */
    public HistogramSnapshot snapshot() {
        readSamples();
        stacks.ifPresent(HistogramStacks::name);
        long nowNs = isDetached ? endNs : ClockReading.monotonicNowNs();
        for (Loss loss : lossCounter.take(() -> nowNs, countedNs -> OptionalLong.empty())) {
            lossesByProbe
                    .computeIfAbsent(loss.getProbeId(), unused -> new TreeMap<>())
                    .merge(loss.getReason(), loss.getCount(), Long::sum);
        }
        targets.pids();
        return new HistogramSnapshot(
                startNs, nowNs, histograms.stream().map(this::table).toList());
    }

    /**
     * Attaches the probes of files that the processes have mapped since the last look, and reads the stacks that are new. To be
     * called often: a JavaScript function whose stack is read late may have moved, and has no name.
     */
    public void look() {
        long beforeNs = ClockReading.monotonicNowNs();
        readSamples();
        stacks.ifPresent(each -> each.readMappings(beforeNs - MAPPINGS_AFTER_NS));
        late.look(ClockReading.monotonicNowNs(), targets::mayBe, targets::pids);
        lookAtContexts();
    }

    private void lookAtContexts() {
        contexts.ifPresent(processes -> {
            processes.look(targets.pids());
            warnings.addAll(processes.takeRefusals());
        });
    }

    /**
     * {@return why there is no traced process left, in words for a person; empty while there is} To be called often.
     */
    public Optional<String> ended() {
        readSamples();
        unfollowed.look();
        return targetEnds.reason(() -> !targets.pids().isEmpty());
    }

    /**
     * {@return what a user should know: features that are missing, attach points that the kernel refused, children
     * not traced; after {@link #detach} also which probes were attached late, or never}
     */
    public List<String> warnings() {
        readSamples();
        unfollowed.look();
        stacks.ifPresent(each -> warnings.addAll(each.takeWarnings()));
        List<String> all = new ArrayList<>(warnings);
        if (isDetached) {
            all.addAll(late.warnings());
        }
        unfollowed.hint().ifPresent(all::add);
        return all;
    }

    /**
     * {@return specs whose library was mapped and has no such function, USDT probe or argument, in words for the
     * user}
     */
    public List<String> misspelled() {
        return late.misspelled();
    }

    private void readSamples() {
        while (kernel.ring().poll(samples, POLL_LIMIT) == POLL_LIMIT) {
            // there are more
        }
    }

    private void newStack(ByteBuffer buffer, int offset) {
        int probeId = buffer.getInt(offset + EventLayout.PROBE_ID_OFFSET);
        histograms.stream()
                .filter(histogram -> histogram.probeIds().contains(probeId))
                .findFirst()
                .flatMap(RunningHistogram::stackLayout)
                .ifPresent(layout -> stacks.orElseThrow().add(layout, buffer, offset));
    }

    /** Passes on what happens to processes. */
    private final class Tasks implements TaskLifecycleListener {
        @Override
        public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {
            if (scope.isOpenEnded()) {
                stacks.ifPresent(each -> each.forked(timestampNs, parentTgid, parentTid, tgid, tid, comm));
            } else if (tgid != parentTgid) {
                unfollowed.started(parentTgid, tgid, comm);
            }
        }

        @Override
        public void executed(long timestampNs, int tgid, int userId, String comm) {
            stacks.ifPresent(each -> each.executed(timestampNs, tgid, userId, comm));
        }

        @Override
        public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {
            stacks.ifPresent(each -> each.exited(timestampNs, tgid, tid, isProcessEnd, waitStatus));
        }

        @Override
        public void renamed(long timestampNs, int tgid, int tid, String comm) {
            // no name is kept
        }
    }

    /** {@return how many probes there are so far} */
    public int probeCount() {
        return histograms.stream()
                .mapToInt(histogram -> histogram.probeIds().size())
                .sum();
    }

    /** Gives back what the kernel holds, and ends a command that still runs. */
    @Override
    public void close() {
        targetEnds.close();
        late.close();
        stacks.ifPresent(HistogramStacks::close);
        contexts.ifPresent(ContextProcesses::close);
        histograms.forEach(RunningHistogram::close);
        kernel.close();
        finder.close();
        if (launched != null) {
            launched.close();
        }
    }

    private HistogramTable table(RunningHistogram histogram) {
        TreeMap<LossReason, Long> losses = new TreeMap<>();
        for (int probeId : histogram.probeIds()) {
            lossesByProbe
                    .getOrDefault(probeId, new TreeMap<>())
                    .forEach((reason, count) -> losses.merge(reason, count, Long::sum));
        }
        return new HistogramTable(
                histogram.spec(),
                histogram.read(kernel, stacks),
                losses,
                isDetached ? openCalls(histogram.probeIds()) : 0);
    }

    private long openCalls(Set<Integer> probeIds) {
        long[] count = new long[1];
        late.pairingMaps()
                .forEach(pairing -> kernel.map(pairing.mapName())
                        .forEach((key, value) -> count[0] += probeIds.contains(probeId(value)) ? 1 : 0));
        return count[0];
    }

    /** An entry of a pairing map begins as a sample does. */
    private static int probeId(ByteBuffer entry) {
        return entry.getInt(entry.position() + EventLayout.PROBE_ID_OFFSET);
    }
}
