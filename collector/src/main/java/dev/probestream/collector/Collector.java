package dev.probestream.collector;

import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.RefusedAttachPoint;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.OwnPidNamespace;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.EventPublisher;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One collection: {@link #open} resolves and loads the probes, {@link #run} attaches them and reads the ring, {@link
 * #close} removes everything from the kernel. For one thread; only the {@link StopSignal} may be raised from others.
 */
public final class Collector implements AutoCloseable {
    /**
     * How many of the latest Stack records a publisher of a {@linkplain CollectionRequest#isLive live} collection has to
     * keep, so that it has the stack of every event: a stack is published again after half as many others.
     */
    public static final int MAX_LIVE_STACKS = 2 * StackInterner.MAX_KNOWN_LIVE;

    private final long captureId = new SecureRandom().nextLong() & Long.MAX_VALUE;
    private final CollectionRequest request;
    private final TargetScope scope;
    private final ProbeFinder finder;
    private final ProgramPlan plan;
    private final KernelObjects kernel;
    private final KernelOptions options;
    private final @Nullable LaunchedCommand launched;
    private final List<String> warnings = new ArrayList<>();

    private Collector(
            CollectionRequest request,
            TargetScope scope,
            ProbeFinder finder,
            ProgramPlan plan,
            KernelObjects kernel,
            KernelOptions options,
            @Nullable LaunchedCommand launched) {
        this.request = request;
        this.scope = scope;
        this.finder = finder;
        this.plan = plan;
        this.kernel = kernel;
        this.launched = launched;
        this.options = options;
        warnings.addAll(finder.warnings());
        warnings.addAll(options.warnings());
        warnings.addAll(HostIds.warnings(scope, finder.found()));
    }

    /**
     * Finds the targets and the probes, and loads the programs; attaches nothing yet. A command is started and held.
     *
     * @throws ResolveException when a process or a probe cannot be found or may not be used
     * @throws IOException when a command cannot be started
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses, above all for lack of privileges
     * @throws dev.probestream.bpf.kernel.UnsupportedFeatureException when the kernel lacks what is needed
     */
    public static Collector open(CollectionRequest request) throws ResolveException, IOException {
        return open(request, UprobeAttachMethod::best);
    }

    /** The same with a way to attach uprobes that may not be this kernel's best. */
    static Collector open(CollectionRequest request, Supplier<UprobeAttachMethod> attachMethod)
            throws ResolveException, IOException {
        OwnPidNamespace namespace = OwnPidNamespace.read();
        List<String> command = request.targets().command();
        @Nullable
        LaunchedCommand launched = command.isEmpty()
                ? null
                : LaunchedCommand.start(command, request.targets().environment());
        try {
            return open(request, launched, namespace, attachMethod);
        } catch (ResolveException | RuntimeException e) {
            if (launched != null) {
                launched.close();
            }
            throw e;
        }
    }

    private static Collector open(
            CollectionRequest request,
            @Nullable LaunchedCommand launched,
            OwnPidNamespace namespace,
            Supplier<UprobeAttachMethod> attachMethod)
            throws ResolveException {
        TargetScope scope = TargetScope.of(
                request.targets(), request.followChildren(), launched == null ? 0 : launched.pid(), namespace);
        boolean mayWait = request.targets().pids().isEmpty();
        ProbeFinder finder = new ProbeFinder(scope, Optional.ofNullable(launched), mayWait, true);
        try {
            finder.find(request.probes());
            KernelOptions options = KernelOptions.ask(request, scope, attachMethod);
            ProgramPlan plan = ProgramPlanner.plan(finder.found(), options.options(), finder.maxProbeId());
            KernelObjects kernel = KernelObjects.load(plan, options.attachMethod());
            return new Collector(request, scope, finder, plan, kernel, options, launched);
        } catch (ResolveException | RuntimeException e) {
            finder.close();
            throw e;
        }
    }

    /**
     * Attaches the probes, reads until there is a reason to end, detaches, and reads the rest: what was hit is published
     * or counted when this returns. May be called once.
     *
     * @throws dev.probestream.collector.publish.PublishException when the publisher takes no more; the probes are
     *     detached then by {@link #close}
     */
    public CollectionOutcome run(
            EventPublisher publisher, String toolVersion, StopSignal stop, CollectionProgress.Listener progress) {
        try (CollectorRun run = new CollectorRun(
                captureId, request, scope, finder, launched, plan, kernel, options.options(), publisher)) {
            writeTargets();
            kernel.attach();
            run.begin(toolVersion);
            for (RefusedAttachPoint point : kernel.refused()) {
                warnings.add("the kernel would not probe " + point.attachPoint() + ": " + point.reason());
            }
            if (launched != null) {
                launched.release();
            }
            CollectionOutcome outcome = run.untilTheEnd(stop, progress, warnings);
            warnings.addAll(run.warnings());
            return outcome;
        }
    }

    /** What a user should know: functions that were skipped, features that are missing, attach points that the kernel refused. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** What the records of this collection carry; random and not negative. */
    public long captureId() {
        return captureId;
    }

    /** How many probes there are; all system calls together are one. */
    public int probeCount() {
        return finder.found().size();
    }

    /** Gives back what the kernel holds, and ends a command that still runs. */
    @Override
    public void close() {
        kernel.close();
        finder.close();
        if (launched != null) {
            launched.close();
        }
    }

    /** Writes the traced processes into the map that the programs look them up in, if they have one. */
    private void writeTargets() {
        Optional<BpfMap> targets =
                kernel.hasMap(MapNames.TARGETS) ? Optional.of(kernel.map(MapNames.TARGETS)) : Optional.empty();
        targets.ifPresent(map ->
                scope.targets().forEach(target -> map.update(BpfMap.key(target.pid()), BpfMap.key(1))));
    }
}
