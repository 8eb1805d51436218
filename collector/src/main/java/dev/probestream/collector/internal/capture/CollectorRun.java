package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.ring.RingListener;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.internal.connection.ExistingConnections;
import dev.probestream.collector.internal.cost.CostMeter;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.event.LossCounter;
import dev.probestream.collector.internal.event.OpenSpanReader;
import dev.probestream.collector.internal.event.OwnProbe;
import dev.probestream.collector.internal.event.SummedHits;
import dev.probestream.collector.internal.find.ProbeFinder;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.kernel.KernelOptions;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.redact.CommandLines;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.scope.TargetEnds;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.internal.unseen.UnfollowedChildren;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionProgress;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.schema.record.HitSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The run of one collection: what happens in which order from the opening of the window to the end, and what is due at intervals
 * meanwhile.
 */
public final class CollectorRun implements AutoCloseable {
    private static final long PROGRESS_EVERY_NS = 250_000_000L;
    private static final long FLUSH_EVERY_NS = 1_000_000_000L;

    private static final long SUMS_EVERY_NS = 1_000_000_000L;
    /** A capture of days would fill a topic with sums of each second. */
    private static final long SUMS_OFTEN_FOR_NS = 60_000_000_000L;

    private static final long SUMS_LATER_EVERY_NS = 10_000_000_000L;
    private static final long CLOCKS_EVERY_NS = 10_000_000_000L;
    /** A program that writes a sample can be interrupted for so long, and what others wrote later is read after it. */
    private static final long MAPPINGS_AFTER_NS = 100_000_000L;

    /** A command that is released has executed its program. */
    private static final long EXEC_NS = 50_000_000L;

    private static final long TARGETS_EVERY_NS = 50_000_000L;

    private final PreparedCapture prepared;
    private final CollectionRequest request;
    private final ProgramPlan plan;
    private final KernelObjects kernel;
    private final KeyframePublisher publisher;
    private final TargetScope scope;
    private final long captureId;
    private final CaptureRecords records;
    private final ProcessRegistry processes;
    private final CaptureStacks captureStacks;
    private final StackInterner stacks;
    private final EventDecoder decoder;
    private final CaptureRing ring;
    private final LossCounter losses;
    private final LossSums lossSums = new LossSums();
    private final LossPublisher lossPublisher;
    private final SummedHits sums;
    private final CostMeter meter;
    private final CaptureCosts costs;
    private final OpenSpanReader openSpans;
    private final CaptureBudget budget;
    private final CaptureCounters counters;
    private final int openConnectionsId;
    private long startNs;
    private final DescribedProbes probes;
    private final AwaitedProbes awaited;
    private final LateAttachment late;
    private final @Nullable LaunchedCommand launched;
    private final TargetEnds targetEnds;
    private final UnfollowedChildren unfollowed = new UnfollowedChildren();
    private final List<String> warnings = new ArrayList<>();

    public CollectorRun(long captureId, PreparedCapture prepared, EventPublisher destination) {
        this.captureId = captureId;
        this.prepared = prepared;
        this.request = prepared.request();
        this.scope = prepared.scope();
        this.plan = prepared.plan();
        this.kernel = prepared.kernel();
        this.launched = prepared.launched();
        this.publisher = new KeyframePublisher(destination);
        ProbeFinder finder = prepared.finder();
        KernelOptions options = prepared.options();
        this.records = new CaptureRecords(captureId, publisher);
        ClockReading clocks = ClockReading.now();
        this.processes = new ProcessRegistry(captureId, publisher, clocks, request.shown());
        this.captureStacks = new CaptureStacks(
                captureId, request.isLive(), kernel, options, prepared.executables(), publisher::publish);
        this.stacks = captureStacks.interner();
        this.awaited = new AwaitedProbes(kernel);
        CaptureDispatcher dispatcher = new CaptureDispatcher(
                publisher,
                processes,
                stacks,
                captureStacks.v8Processes(),
                captureStacks.contexts(),
                lossSums,
                prepared.targets(),
                scope.isOpenEnded(),
                unfollowed,
                awaited);
        SyscallTable syscalls = SyscallTable.of(
                RegisterTable.ofJavaArchitecture(System.getProperty("os.arch")).orElseThrow());
        this.losses = new LossCounter(captureId, kernel.map(MapNames.LOSSES));
        this.meter = new CostMeter(
                kernel.map(MapNames.HITS),
                processes,
                number -> syscalls.signature(number).name());
        meter.add(plan);
        kernel.programs().forEach(this::addProgram);
        meter.prepare(options.attachMethod(), options.options().sleepableUprobes());
        this.decoder = new EventDecoder(
                captureId, plan, syscalls, dispatcher, stacks::idOf, dispatcher, request.shown(), losses::hasLostHits);
        this.ring = new CaptureRing(kernel.ring(), decoder, request.isLive(), this::flush);
        this.lossPublisher = new LossPublisher(losses, lossSums, ring, decoder, publisher);
        decoder.begin(finder::id, kernel::forgetStream);
        this.costs = new CaptureCosts(captureId, meter, publisher, decoder::publishProbe);
        this.counters = new CaptureCounters(captureId, finder.found(), publisher, decoder, processes::livingPids);
        this.openConnectionsId = finder.id(OwnProbe.OPEN_CONNECTION);
        this.probes = new DescribedProbes(captureId, options.options(), publisher, decoder, lossSums);
        this.late = new LateAttachment(kernel, this::addProgram, finder.late(), this::planMore);
        plan.syscalls().ifPresent(planned -> writeSyscallTexts(syscalls, planned.layout()));
        this.sums = new SummedHits(captureId, plan, kernel.maps());
        this.targetEnds = new TargetEnds(scope, launched);
        this.openSpans = new OpenSpanReader(decoder, losses);
        this.budget = new CaptureBudget(
                captureId, request.budget(), kernel, publisher, meter::read, openSpans, late::pairingMaps);
    }

    private void addProgram(KernelObjects.LoadedProgram loaded) {
        losses.addProgram(loaded.planned(), loaded.program());
        meter.add(loaded.planned(), loaded.program());
    }

    private ProgramPlan planMore(List<ResolvedProbe> found, int batch) {
        ProgramPlan more = probes.planMore(found, batch);
        meter.add(more);
        return more;
    }

    /** Writes into the map of the programs which arguments of system calls are texts. */
    private void writeSyscallTexts(SyscallTable syscalls, SyscallLayout layout) {
        BpfMap texts = kernel.map(MapNames.SYSCALL_TEXTS);
        for (int number = 0; number < SyscallProbes.COUNT; number++) {
            int encoded = syscalls.signature(number).texts().encode(layout);
            if (encoded != 0) {
                texts.update(BpfMap.key(number), BpfMap.key(encoded));
            }
        }
    }

    /** Attaches the probes. Reads meanwhile what stacks need, on a thread of its own; {@link #begin} waits for it. */
    public void attach() {
        prepared.writeTargets();
        captureStacks.prepare(request, scope, launched != null);
        kernel.attach();
    }

    /**
     * Opens the window of the attached probes, and publishes what is to be known before the first event. The Capture
     * record has the moment at which the window opens; of a command that is held, the moment before it is released.
     */
    public void begin() {
        List<Target> living = scope.living();
        ExistingConnections connections = ExistingConnections.look(request, living);
        captureStacks.awaitPreparation();
        ClockReading clocks = ClockReading.now();
        startNs = clocks.monotonicNs();
        lossPublisher.begin(startNs);
        sums.begin(startNs);
        costs.begin(startNs, living.stream().map(Target::pid).toList());
        if (launched == null) {
            kernel.openWindow();
        } else {
            kernel.openWindowAtExec(launched.pid(), scope.pidNamespace(false));
        }
        records.begin(
                clocks,
                request.shown().arguments() ? request.commandLine() : CommandLines.maskedOurs(request.commandLine()),
                request.toolVersion());
        late.begin(plan);
        probes.begin(plan);
        budget.begin(startNs, prepared.options().options().categories());
        living.forEach(processes::add);
        scope.leftOut(living).ifPresent(warnings::add);
        scope.kernelThreads().forEach(processes::addKernelThread);
        connections.publish(captureId, openConnectionsId, startNs, publisher, decoder);
        counters.begin(startNs + (launched == null ? 0 : EXEC_NS));
    }

    /**
     * Warnings that came up while reading, once it has ended: probes that were found late or saw nothing, children that are not
     * traced, stack frames without names.
     */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    private void collectWarnings() {
        if (scope.isAwaited() && !processes.hasSeenAny()) {
            warnings.add(TargetProcesses.noneStarted(scope.follow().comm()));
        }
        warnings.addAll(awaited.warnings());
        warnings.addAll(late.warnings());
        warnings.addAll(budget.warnings());
        warnings.addAll(probes.unhit(kernel));
        unfollowed.hint().ifPresent(warnings::add);
        warnings.addAll(probes.undecoded());
        warnings.addAll(captureStacks.takeWarnings());
        warnings.addAll(counters.warnings());
    }

    /**
     * Reads until there is a reason to end; then closes the window, detaches, reads the rest and publishes the last
     * losses.
     */
    public CollectionOutcome untilTheEnd(
            StopSignal stop, CollectionProgress.Listener progress, List<String> earlierWarnings) {
        String reason = read(startNs, stop, progress);
        counters.end();
        budget.stop();
        long closedNs = ClockReading.monotonicNowNs();
        kernel.closeWindow();
        costs.closeWindow(closedNs);
        losses.end(ClockReading.monotonicNowNs());
        ring.readWhile(kernel::detach);
        ring.drain();
        CostReading cost = costs.end();
        budget.end(closedNs);
        openSpans.read(late.pairingMaps(), kernel.maps(), closedNs);
        decoder.interrupt();
        // A program that ran while the window was being closed may have read the clock later, also that of a span's
        // begin.
        long endNs = Math.max(closedNs, decoder.lastNs());
        publishSums(endNs);
        lossPublisher.publish();
        stacks.flush();
        records.clocks(ClockReading.now());
        collectWarnings();
        List<String> partlyHit = probes.partlyHit(kernel);
        records.end(
                endNs,
                CaptureRecords.withLines(reason, earlierWarnings, warnings, partlyHit),
                decoder.delivered(),
                losses.total());
        publisher.complete();
        progress.progress(progress());
        return new CollectionOutcome(
                captureId,
                reason,
                decoder.delivered(),
                lossSums.losses(captureId, startNs, endNs),
                cost,
                Duration.ofNanos(endNs - startNs),
                late.misspelled(),
                partlyHit,
                commandStatus());
    }

    @Override
    public void close() {
        counters.close();
        budget.close();
        costs.close();
        targetEnds.close();
        late.close();
        captureStacks.close();
    }

    private String read(long beginNs, StopSignal stop, CollectionProgress.Listener progress) {
        Thread reader = Thread.currentThread();
        // Hits after which the process may end: its memory, which has the names of functions, is gone some milliseconds
        // later.
        RingListener wakeups =
                RingListener.start(kernel.map(MapNames.EVENTS), "ring-wakeups", () -> LockSupport.unpark(reader));
        try (wakeups) {
            return readUntilEnd(beginNs, stop, progress);
        }
    }

    private String readUntilEnd(long beginNs, StopSignal stop, CollectionProgress.Listener progress) {
        long endNs = request.limit().map(limit -> beginNs + limit.toNanos()).orElse(Long.MAX_VALUE);
        List<PeriodicTask> tasks = tasks(beginNs, progress);
        Interval targetsTime = new Interval(TARGETS_EVERY_NS, beginNs);
        ReadingRest rest = new ReadingRest(ring.sizeBytes(), beginNs);
        while (true) {
            long beforeNs = ClockReading.monotonicNowNs();
            budget.beforeReading();
            long pendingBytes = ring.pendingBytes();
            lossPublisher.look(beforeNs, pendingBytes);
            int count = ring.poll();
            long nowNs = ClockReading.monotonicNowNs();
            if (stop.isRaised()) {
                return "stopped by the user";
            }
            if (nowNs >= endNs) {
                return "the time was up";
            }
            if (targetsTime.isOver(nowNs)) {
                unfollowed.look();
                Optional<String> ended = targetEnds.reason(() -> processes.livingCount() > 0);
                if (ended.isPresent()) {
                    return ended.get();
                }
            }
            costs.turn(nowNs);
            counters.turn();
            if (budget.turn(nowNs, ring.isEmptyAfter(count))) {
                costs.cut(nowNs);
                publishSums(nowNs);
            }
            awaited.attach(startNs);
            late.look(nowNs, processes::lives, processes::livingPids);
            if (lossPublisher.isTime(nowNs)) {
                lossPublisher.publish();
            }
            tasks.forEach(task -> task.turn(nowNs));
            if (ring.isEmptyAfter(count)) {
                stacks.readMappings(beforeNs - MAPPINGS_AFTER_NS);
                LockSupport.parkNanos(
                        Math.min(endNs - nowNs, rest.after(pendingBytes, count, stacks.userStacks(), nowNs)));
            }
        }
    }

    /** What is published at intervals, in this order. */
    private List<PeriodicTask> tasks(long beginNs, CollectionProgress.Listener progress) {
        Interval sumsTime = new Interval(SUMS_EVERY_NS, beginNs).then(beginNs + SUMS_OFTEN_FOR_NS, SUMS_LATER_EVERY_NS);
        Keyframes keyframes =
                new Keyframes(captureId, publisher, budget, decoder, stacks, request.pieceLength(), beginNs);
        return List.of(
                new PeriodicTask(sumsTime, this::publishSums),
                new PeriodicTask(new Interval(FLUSH_EVERY_NS, beginNs), nowNs -> keyframes.flush(nowNs, this::flush)),
                new PeriodicTask(new Interval(CLOCKS_EVERY_NS, beginNs), nowNs -> records.clocks(ClockReading.now())),
                new PeriodicTask(new Interval(PROGRESS_EVERY_NS, beginNs), nowNs -> progress.progress(progress())));
    }

    private void flush() {
        stacks.flush();
        publisher.flush();
    }

    private void publishSums(long nowNs) {
        for (HitSummary summary : sums.take(nowNs)) {
            decoder.summed(summary.getProbeId());
            publisher.publish(summary);
        }
    }

    private CollectionProgress progress() {
        return new CollectionProgress(
                decoder.delivered(),
                lossSums.total(),
                lossSums.byName(),
                publisher.publishedBytes(),
                ring.pendingBytes(),
                costs.latest(),
                budget.takeNotices());
    }

    private OptionalInt commandStatus() {
        return launched == null
                ? OptionalInt.empty()
                : launched.exitCode().map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }
}
