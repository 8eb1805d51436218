package dev.probestream.collector.program;

import dev.probestream.bpf.kernel.MapSpec;
import java.util.List;

/** Makes a {@link ProgramPlan} of probes. */
public final class ProgramPlanner {
    private static final int MAX_TARGETS = 16_384;

    private ProgramPlanner() {}

    /**
     * Plans a capture. Probes of user functions that record alike share a program when links can carry cookies. Programs
     * that tell of processes and threads are added when the layout of task_struct is known.
     *
     * @throws ProbeArgumentException when a probe asks for an argument that is not there
     * @throws IllegalArgumentException when sched is asked for without the layout of task_struct, or a tracepoint without
     *     its format
     */
    public static ProgramPlan plan(List<NumberedProbe> numbered, ProgramOptions options) {
        PlanParts parts = new PlanParts(options);
        KernelPlanner kernel = new KernelPlanner(parts);
        options.tasks().ifPresent(kernel::life);
        new FunctionPlanner(parts).plan(numbered);
        for (NumberedProbe probe : numbered) {
            switch (probe.spec().kind()) {
                case UPROBE, URETPROBE, SPAN, USDT, USER -> {}
                case TRACEPOINT -> kernel.tracepoint(probe);
                case RAWTRACEPOINT -> kernel.rawTracepoint(probe);
                case SYSCALLS -> kernel.syscalls(probe);
                case SCHED -> kernel.sched(probe);
            }
        }
        sharedMaps(parts, maxProbeId(numbered));
        return parts.plan();
    }

    private static int maxProbeId(List<NumberedProbe> numbered) {
        return numbered.stream()
                .mapToInt(probe ->
                        probe.probeId() + NumberedProbe.idCount(probe.spec().kind()) - 1)
                .max()
                .orElse(0);
    }

    private static void sharedMaps(PlanParts parts, int maxProbeId) {
        ProgramOptions options = parts.options;
        parts.maps.add(MapSpec.ringBuffer(MapNames.EVENTS, options.ringSizeBytes()));
        parts.maps.add(MapSpec.perCpuArray(MapNames.LOSSES, Long.BYTES, LossIndex.count(maxProbeId)));
        if (options.filter().needsTargets()) {
            parts.maps.add(MapSpec.hash(MapNames.TARGETS, Integer.BYTES, Integer.BYTES, MAX_TARGETS));
        }
        if (parts.zeroSizeBytes > 0) {
            parts.maps.add(MapSpec.array(MapNames.ZERO, parts.zeroSizeBytes, 1));
        }
    }
}
