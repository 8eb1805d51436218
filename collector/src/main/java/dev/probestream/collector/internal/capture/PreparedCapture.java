package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.find.ProbeFinder;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.kernel.KernelOptions;
import dev.probestream.collector.internal.kernel.KernelTypes;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.OwnPidNamespace;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.ProgramPlanner;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.scope.HostIds;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.CollectionRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a capture needs, found and loaded; nothing is attached yet.
 *
 * @param launched the command that is started and held, if there is one
 */
public record PreparedCapture(
        CollectionRequest request,
        TargetScope scope,
        ProbeFinder finder,
        @Nullable LaunchedCommand launched,
        ProgramPlan plan,
        KernelObjects kernel,
        KernelOptions options,
        V8Executables executables)
        implements AutoCloseable {
    /**
     * Finds the targets and the probes, and loads the programs.
     *
     * @param launched owned from here on, unless this throws
     * @param attachMethod to attach uprobes by
     * @throws ResolveException if a process or a probe cannot be found or may not be used
     */
    public static PreparedCapture of(
            CollectionRequest request,
            @Nullable LaunchedCommand launched,
            OwnPidNamespace namespace,
            Supplier<UprobeAttachMethod> attachMethod)
            throws ResolveException {
        TargetScope scope = TargetScope.of(
                request.targets(),
                request.followChildren(),
                launched == null ? 0 : launched.pid(),
                namespace,
                ProbeFinder.areFoundBeforehand(request.probes()));
        boolean mayWait = request.targets().pids().isEmpty();
        ProbeFinder finder = new ProbeFinder(scope, Optional.ofNullable(launched), mayWait, true);
        try {
            V8Executables executables = executables(request.probes(), scope, launched);
            finder.find(request.probes());
            KernelTypes types = new KernelTypes();
            KernelOptions options = KernelOptions.ask(request, scope, attachMethod, types)
                    .withJavaScript(request, scope, executables, types)
                    .withContexts(request, types);
            ProgramPlan plan =
                    ProgramPlanner.plan(finder.found(), options.options(), finder.maxProbeId(), request.probes());
            KernelObjects kernel = KernelObjects.load(plan, options.attachMethod(), types);
            return new PreparedCapture(request, scope, finder, launched, plan, kernel, options, executables);
        } catch (ResolveException | RuntimeException e) {
            finder.close();
            throw e;
        }
    }

    /** Those of the targets are being read meanwhile, if they are needed. */
    public static V8Executables executables(
            List<ProbeSpec> probes, TargetScope scope, @Nullable LaunchedCommand launched) {
        V8Executables executables = new V8Executables();
        if (probes.stream().anyMatch(spec -> spec.stack().user())) {
            Map<String, Path> files = new LinkedHashMap<>();
            if (!scope.isEverything()) {
                scope.targets().forEach(target -> files.put(target.executable(), target.executableFile()));
            }
            if (launched != null) {
                files.put(launched.executable().toString(), launched.executable());
            }
            executables.readAhead(files);
        }
        return executables;
    }

    /** What a user should know of what was found and what is missing. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(finder.warnings());
        warnings.addAll(options.warnings());
        warnings.addAll(HostIds.warnings(scope, finder.found()));
        return warnings;
    }

    /** The map in which the programs look up the traced processes; empty: they do not. */
    Optional<BpfMap> targets() {
        return kernel.hasMap(MapNames.TARGETS) ? Optional.of(kernel.map(MapNames.TARGETS)) : Optional.empty();
    }

    /** Tells the programs which processes are traced. */
    void writeTargets() {
        targets()
                .ifPresent(map ->
                        scope.targets().forEach(target -> map.update(BpfMap.key(target.pid()), BpfMap.key(1))));
    }

    /** Removes everything from the kernel, and ends a command that still runs. */
    @Override
    public void close() {
        kernel.close();
        finder.close();
        if (launched != null) {
            launched.close();
        }
    }
}
