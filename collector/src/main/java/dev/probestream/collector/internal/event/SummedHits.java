package dev.probestream.collector.internal.event;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.ProgramPlan;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.schema.record.HitSummary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The sums of all probes of a capture whose hits are summed in the kernel. Not thread-safe. */
public final class SummedHits {
    private final Map<String, BpfMap> maps;
    private final List<HitSums> sums = new ArrayList<>();
    /** {@link MapNames#SUM_INTERVAL}. */
    private int interval;

    /**
     * Also writes the limits from which on a hit is an event.
     *
     * @param maps those of the plan by name; borrowed for the lifetime of this object
     */
    public SummedHits(long captureId, ProgramPlan plan, Map<String, BpfMap> maps) {
        this.maps = maps;
        plan.syscalls().filter(planned -> planned.spec().isSummed()).ifPresent(planned -> {
            setLimit(MapNames.SYSCALL_LIMIT, planned.spec().eventLimitNs());
            sums.add(ofSyscalls(captureId, planned));
        });
        plan.summedSched().ifPresent(probe -> {
            setLimit(MapNames.SCHED_LIMIT, probe.spec().eventLimitNs());
            sums.add(new HitSums(
                    captureId,
                    map(MapNames.SCHED_SUMS),
                    map(MapNames.SCHED_REST),
                    map(MapNames.OFF_CPU),
                    OffCpuLayout.THREAD_TAG_OFFSET,
                    probe.probeId()));
        });
    }

    private HitSums ofSyscalls(long captureId, PlannedSyscalls planned) {
        return new HitSums(
                captureId,
                map(MapNames.SYSCALL_SUMS),
                map(MapNames.SYSCALL_REST),
                map(MapNames.OPEN_SYSCALLS),
                SyscallLayout.THREAD_TAG_OFFSET,
                planned.firstProbeId());
    }

    private void setLimit(String limit, long limitNs) {
        map(limit)
                .update(
                        BpfMap.key(0),
                        ByteBuffer.allocate(Long.BYTES)
                                .order(ByteOrder.nativeOrder())
                                .putLong(0, limitNs));
    }

    /** The capture's window is opened next. */
    public void begin(long startNs) {
        nextInterval();
        sums.forEach(each -> each.begin(startNs));
    }

    /** What was added since the last call, or since the window was opened. */
    public List<HitSummary> take(long nowNs) {
        int ended = interval;
        nextInterval();
        List<HitSummary> summaries = new ArrayList<>();
        sums.forEach(each -> summaries.addAll(each.take(ended, nowNs)));
        return summaries;
    }

    private void nextInterval() {
        if (!sums.isEmpty()) {
            interval++;
            map(MapNames.SUM_INTERVAL).update(BpfMap.key(0), BpfMap.key(interval));
        }
    }

    private BpfMap map(String name) {
        return Objects.requireNonNull(maps.get(name), name);
    }
}
