package dev.probestream.collector.internal.program;

import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import dev.probestream.collector.internal.program.layout.KnownStreamLayout;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.ClosureCallLayout;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.ShapeQuestion;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;

/** Makes a {@link ProgramPlan} of probes. */
public final class ProgramPlanner {
    private static final int MAX_TARGETS = 16_384;

    private ProgramPlanner() {}

    /**
     * Plans a capture. Probes of user functions that record alike share a program when links can carry cookies. Programs
     * that record the task lifecycle are added when the layout of task_struct is known.
     *
     * @throws ProbeArgumentException when a probe asks for an argument that is not there
     * @throws IllegalArgumentException when sched is asked for without the layout of task_struct, or a tracepoint without
     *     its format
     */
    public static ProgramPlan plan(List<ResolvedProbe> resolved, ProgramOptions options) {
        List<ProbeSpec> specs = resolved.stream().map(ResolvedProbe::spec).toList();
        return plan(resolved, options, maxProbeId(resolved), specs);
    }

    /**
     * The same, with room for probes that are found later.
     *
     * @param maxProbeId the highest id there will ever be
     * @param asked what is looked for, now and later
     */
    public static ProgramPlan plan(
            List<ResolvedProbe> resolved, ProgramOptions options, int maxProbeId, List<ProbeSpec> asked) {
        PlanParts parts = new PlanParts(options, "");
        KernelPlanner kernel = new KernelPlanner(parts);
        List<ProbeSpec> untilNext = asked.stream().filter(ProbeSpec::untilNext).toList();
        untilNext.forEach(spec -> parts.withPhases(spec.preset().category()));
        options.tasks().ifPresent(tasks -> kernel.taskLifecycle(tasks, !untilNext.isEmpty()));
        new FunctionPlanner(parts).plan(resolved);
        new UsdtPlanner(parts).plan(resolved);
        new UsdtPairPlanner(parts).plan(resolved);
        for (ResolvedProbe probe : resolved) {
            switch (probe.spec().kind()) {
                case UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER, SYS_EXIT, PROCESS -> {}
                case PAIR -> new PairPlanner(parts, probe).record();
                case TRACEPOINT -> kernel.tracepoint(probe);
                case RAWTRACEPOINT -> kernel.rawTracepoint(probe);
                case SYSCALL -> new SyscallPlanner(parts, probe).record();
                case SYSCALLS -> kernel.syscalls(probe);
                case SCHED -> kernel.sched(probe);
                case SIGNALS -> kernel.signals(probe);
                case PROFILE -> kernel.profile(probe);
            }
        }
        SyscallReturnPlanner returns = new SyscallReturnPlanner(parts);
        returns.record(resolved);
        if (options.thread().isPresent() && SyscallReturnPlanner.needsStreams(asked)) {
            returns.connectedStreams();
        }
        for (FunctionPart part : FunctionPart.ALL) {
            asked.stream()
                    .filter(spec -> part.role(spec).isPresent())
                    .findFirst()
                    .ifPresent(spec -> part.addMaps(parts, spec.preset().category()));
        }
        sharedMaps(parts, Math.max(maxProbeId, maxProbeId(resolved)));
        return parts.plan();
    }

    /**
     * Plans probes in user space that were found while a capture runs. The plan's maps are only those that the capture's
     * own plan has not, or has too small.
     *
     * @param batch counts the plans of the capture, from 1
     * @throws ProbeArgumentException when a probe asks for an argument that is not there
     */
    public static ProgramPlan planMore(List<ResolvedProbe> resolved, ProgramOptions options, int batch) {
        PlanParts parts = new PlanParts(options, "_" + batch);
        new FunctionPlanner(parts).plan(resolved);
        new UsdtPlanner(parts).plan(resolved);
        new UsdtPairPlanner(parts).plan(resolved);
        zeros(parts);
        return parts.plan();
    }

    static int maxProbeId(List<ResolvedProbe> resolved) {
        return resolved.stream()
                .mapToInt(probe -> probe.probeId() + probe.spec().idCount() - 1)
                .max()
                .orElse(0);
    }

    static void sharedMaps(PlanParts parts, int maxProbeId) {
        ProgramOptions options = parts.options;
        parts.maps.add(MapSpec.ringBuffer(MapNames.EVENTS, options.ringSizeBytes()));
        parts.maps.add(MapSpec.array(MapNames.WINDOW, options.windows().sizeBytes(), 1));
        parts.maps.add(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(maxProbeId)));
        parts.maps.add(MapSpec.perCpuArray(MapNames.HITS, Long.BYTES, maxProbeId + 1));
        if (options.filter().needsTargets()) {
            parts.maps.add(MapSpec.hash(MapNames.TARGETS, Integer.BYTES, Integer.BYTES, MAX_TARGETS));
        }
        if (options.watchesV8()) {
            parts.maps.add(MapSpec.hash(
                    MapNames.V8_PROCESSES, Integer.BYTES, V8ProcessLayout.SIZE_BYTES, V8ProcessLayout.MAX_PROCESSES));
            parts.maps.add(
                    MapSpec.hash(MapNames.V8_MOVING, Integer.BYTES, Integer.BYTES, V8ProcessLayout.MAX_PROCESSES));
        }
        if (options.thread().isPresent()) {
            parts.maps.add(MapSpec.hash(
                    MapNames.ASYNC_CONTEXTS,
                    Integer.BYTES,
                    AsyncContextLayout.SIZE_BYTES,
                    AsyncContextLayout.MAX_PROCESSES));
            parts.maps.add(MapSpec.array(
                    MapNames.CONTEXT_THREADS, KnownThreadLayout.SIZE_BYTES, KnownThreadLayout.MAX_THREADS));
            parts.maps.add(
                    MapSpec.array(MapNames.UV_STREAMS, KnownStreamLayout.SIZE_BYTES, KnownStreamLayout.MAX_STREAMS));
            if (options.thread().get().areLoopsSupported()) {
                parts.maps.add(new MapSpec(
                        MapNames.HEAP_SHAPES,
                        MapType.LRU_HASH,
                        HeapShape.KEY_BYTES,
                        HeapShape.SIZE_BYTES,
                        HeapShape.MAX_SHAPES,
                        0));
                parts.maps.add(MapSpec.ringBuffer(MapNames.SHAPE_QUESTIONS, ShapeQuestion.RING_BYTES));
                parts.maps.add(MapSpec.perCpuArray(MapNames.SERVED_SEARCHES, HeapShape.SEARCH_BYTES, 1));
                parts.maps.add(new MapSpec(
                        MapNames.FUNCTION_CALLS,
                        MapType.LRU_HASH,
                        HeapShape.KEY_BYTES,
                        ClosureCallLayout.SIZE_BYTES,
                        ClosureCallLayout.MAX_CLOSURES,
                        0));
                parts.maps.add(new MapSpec(
                        MapNames.THREAD_TURNS,
                        MapType.LRU_HASH,
                        Integer.BYTES,
                        ClosureCallLayout.TURN_BYTES,
                        ClosureCallLayout.MAX_THREADS,
                        0));
            }
        }
        if (parts.summedSched.isPresent()
                || parts.syscalls.filter(calls -> calls.spec().isSummed()).isPresent()) {
            parts.maps.add(MapSpec.array(MapNames.SUM_INTERVAL, Integer.BYTES, 1));
        }
        zeros(parts);
    }

    static void zeros(PlanParts parts) {
        if (parts.zeroSizeBytes > 0) {
            parts.maps.add(MapSpec.array(MapNames.ZERO, parts.zeroSizeBytes, 1));
        }
    }
}
