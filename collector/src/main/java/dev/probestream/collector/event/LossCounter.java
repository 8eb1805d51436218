package dev.probestream.collector.event;

import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.collector.program.PlannedProgram;
import dev.probestream.collector.program.layout.LossIndex;
import dev.probestream.collector.program.layout.MapNames;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns the counts of what could not be delivered into records: each call of {@link #take} gives what was lost since
 * the one before. The sum of all of them and of the delivered events is what was hit. For one thread.
 */
public final class LossCounter {
    private static final LossReason[] REASONS = LossReason.values();

    private final long captureId;
    private final BpfMap losses;
    private final List<Integer> cpus;
    private final List<RecursionMisses> programs = new ArrayList<>();
    /** What was taken before, per CPU under each index of the map. */
    private final long[][] taken;

    private final List<Loss> found = new ArrayList<>();
    private long sinceNs;
    private long total;
    private long lifecycleSamplesLost;

    private static final class RecursionMisses {
        final BpfProgram program;
        final int probeId;
        long taken;

        RecursionMisses(BpfProgram program, int probeId) {
            this.program = program;
            this.probeId = probeId;
        }
    }

    /**
     * A counter for a capture that begins now.
     *
     * @param losses the plan's map {@link MapNames#LOSSES}; borrowed as long as the counter is used
     * @param startNs CLOCK_MONOTONIC
     */
    public LossCounter(long captureId, BpfMap losses, long startNs) {
        this.captureId = captureId;
        this.losses = losses;
        this.cpus = PossibleCpus.ofThisMachine().ids();
        this.taken = new long[losses.spec().maxEntries()][cpus.size()];
        this.sinceNs = startNs;
    }

    /**
     * Has a program's recursion misses counted, too. Of one that serves many probes the kernel does not say whose they
     * are: they go to the first. The return of a span is not asked: what it misses stays open, and is told of as that.
     */
    public void addProgram(PlannedProgram planned, BpfProgram program) {
        if (!planned.isSpanReturn()) {
            int probeId = planned.probeIds().isEmpty() ? 0 : planned.probeIds().get(0);
            programs.add(new RecursionMisses(program, probeId));
        }
    }

    /** What was lost since the last call, or since the start. */
    public List<Loss> take(long nowNs) {
        losses.forEach((key, value) -> index(key.getInt(key.position()), value, nowNs));
        for (RecursionMisses counted : programs) {
            long misses = counted.program.recursionMisses();
            add(counted.probeId, -1, misses - counted.taken, LossReason.RECURSION, nowNs);
            counted.taken = misses;
        }
        sinceNs = nowNs;
        List<Loss> result = List.copyOf(found);
        found.clear();
        return result;
    }

    /** Whether the ring had no room for a hit of this probe so far, also since the last {@link #take}; asks the kernel. */
    public boolean hasLostHits(int probeId) {
        ByteBuffer perCpu = losses.lookup(BpfMap.key(LossIndex.of(probeId, LossReason.RING_FULL)))
                .orElseThrow();
        for (int i = 0; i < cpus.size(); i++) {
            if (perCpu.getLong(perCpu.position() + i * Long.BYTES) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Counts a call that was found to be lost when the open spans were read; it is in what is taken next. */
    void countUnseenReturn(int probeId, long nowNs) {
        add(probeId, -1, 1, LossReason.RETURN_NOT_SEEN, nowNs);
    }

    /** How many hits were lost, in all that was taken. */
    public long total() {
        return total;
    }

    /** How many times the collector was not told of a process or thread. No hits of probes: not in any record. */
    public long lifecycleSamplesLost() {
        return lifecycleSamplesLost;
    }

    private void index(int index, ByteBuffer perCpu, long nowNs) {
        int probeId = index / LossIndex.perProbe();
        LossReason reason = REASONS[index % LossIndex.perProbe()];
        for (int i = 0; i < cpus.size(); i++) {
            long count = perCpu.getLong(perCpu.position() + i * Long.BYTES);
            add(probeId, cpus.get(i), count - taken[index][i], reason, nowNs);
            taken[index][i] = count;
        }
    }

    private void add(int probeId, int cpu, long count, LossReason reason, long nowNs) {
        if (count == 0) {
            return;
        }
        if (probeId == 0) {
            lifecycleSamplesLost += count;
            return;
        }
        total += count;
        found.add(new Loss(captureId, probeId, cpu, sinceNs, nowNs, count, reason));
    }
}
