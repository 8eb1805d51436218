package dev.probestream.collector.internal.event;

import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.PlannedProgram;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Turns loss counts into Loss records. Each call of {@link #take} returns the losses since the previous call. Total
 * hits = delivered events + the sum of all Loss records. Not thread-safe.
 */
public final class LossCounter {
    private static final LossReason[] REASONS = LossReason.values();

    /** Reading it takes a system call for each program. */
    private static final long RECURSION_EVERY_NS = 10_000_000_000L;

    private final long captureId;
    private final BpfMap losses;
    private final List<Integer> cpus;
    private final List<RecursionMisses> programs = new ArrayList<>();
    /** Counts at the previous take: by index of the map, then by CPU. */
    private final long[][] taken;

    private final List<Loss> found = new ArrayList<>();
    private long sinceNs;
    private long recursionSinceNs;
    private long total;

    /** Knows since when the ring may have been full. */
    public interface FullRing {
        /**
         * Since when, after the previous call; empty: it is not known. A hit that is refused for another reason than a full ring, as in an
         * interrupt that came while the ring was locked, is none of its.
         *
         * @param countedNs CLOCK_MONOTONIC, before the losses were counted
         */
        OptionalLong sinceNs(long countedNs);
    }

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
     * Creates a counter for a capture, whose window is opened with {@link #begin}.
     *
     * @param losses the plan's map {@link MapNames#LOSSES}; borrowed for the lifetime of this counter
     */
    public LossCounter(long captureId, BpfMap losses) {
        this.captureId = captureId;
        this.losses = losses;
        this.cpus = PossibleCpus.ofThisMachine().ids();
        this.taken = new long[losses.spec().maxEntries()][cpus.size()];
    }

    /**
     * The capture's window is opened next. What the kernel counted before does not belong to it.
     *
     * @param startNs CLOCK_MONOTONIC
     */
    public void begin(long startNs) {
        sinceNs = startNs;
        recursionSinceNs = startNs;
        programs.forEach(counted -> counted.taken = counted.program.recursionMisses());
    }

    /**
     * The capture's window was closed. The programs count no hits any more, but the kernel would go on to count those
     * that it does not run them for.
     */
    public void end(long nowNs) {
        addRecursionMisses(nowNs);
        programs.clear();
    }

    /**
     * Includes the recursion misses of a program. The kernel counts them per program, so those of a program that serves
     * several probes are attributed to its first probe. Programs on the return of a span are excluded: a call whose
     * return they miss is reported as an open span.
     */
    public void addProgram(PlannedProgram planned, BpfProgram program) {
        if (!planned.isSpanReturn()) {
            int probeId = planned.probeIds().isEmpty() ? 0 : planned.probeIds().get(0);
            programs.add(new RecursionMisses(program, probeId));
        }
    }

    /**
     * Returns the losses since the previous call, or since the start; of recursion those of the last seconds may come later. Their times include
     * the reading of the map: a hit that is lost meanwhile may be in this count, or in the next one.
     *
     * @param monotonicNs CLOCK_MONOTONIC
     * @param ring is asked once the map is read
     */
    public List<Loss> take(LongSupplier monotonicNs, FullRing ring) {
        long nowNs = monotonicNs.getAsLong();
        losses.forEach((key, value) -> index(key.getInt(key.position()), value, nowNs));
        if (nowNs - recursionSinceNs >= RECURSION_EVERY_NS) {
            addRecursionMisses(nowNs);
        }
        sinceNs = nowNs;
        long readNs = monotonicNs.getAsLong();
        OptionalLong fullSinceNs = ring.sinceNs(nowNs);
        for (Loss loss : found) {
            loss.setToNs(readNs);
            if (loss.getReason() == LossReason.RING_FULL) {
                fullSinceNs.ifPresent(sinceFullNs -> loss.setFromNs(Math.max(loss.getFromNs(), sinceFullNs)));
            }
        }
        List<Loss> result = List.copyOf(found);
        found.clear();
        return result;
    }

    /**
     * Whether the ring was ever full for a hit of this probe. Reads the kernel's map, so it includes losses since the
     * last {@link #take}.
     */
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

    /**
     * Counts a call whose return was not seen, found when the open spans were read. The next {@link #take} includes it.
     */
    void countUnseenReturn(int probeId, long nowNs) {
        add(probeId, -1, 1, LossReason.RETURN_NOT_SEEN, sinceNs, nowNs);
    }

    /** The number of lost hits in all records taken so far. */
    public long total() {
        return total;
    }

    private void addRecursionMisses(long nowNs) {
        for (RecursionMisses counted : programs) {
            long misses = counted.program.recursionMisses();
            add(counted.probeId, -1, misses - counted.taken, LossReason.RECURSION, recursionSinceNs, nowNs);
            counted.taken = misses;
        }
        recursionSinceNs = nowNs;
    }

    private void index(int index, ByteBuffer perCpu, long nowNs) {
        int probeId = index / LossIndex.perProbe();
        LossReason reason = REASONS[index % LossIndex.perProbe()];
        for (int i = 0; i < cpus.size(); i++) {
            long count = perCpu.getLong(perCpu.position() + i * Long.BYTES);
            add(probeId, cpus.get(i), count - taken[index][i], reason, sinceNs, nowNs);
            taken[index][i] = count;
        }
    }

    private void add(int probeId, int cpu, long count, LossReason reason, long fromNs, long nowNs) {
        // Of probe 0 are samples of the life of tasks, which are no hits.
        if (count == 0 || probeId == 0) {
            return;
        }
        total += count;
        found.add(new Loss(captureId, probeId, cpu, fromNs, nowNs, count, reason));
    }
}
