package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.bpf.watch.RunStatistics;
import dev.probestream.collector.internal.program.PlannedProgram;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long a hit keeps each program: by the kernel's statistics of runs, which are switched on for a small part of
 * the time, because they cost every program of the machine two readings of the clock. Not thread-safe.
 */
final class ProgramTimes implements AutoCloseable {
    private static final long MEASURED_NS = 50_000_000;
    private static final long SAMPLE_NS = 4_000_000;
    private static final long SECOND_TIME_AFTER_NS = 1_000_000_000;
    private static final long EVERY_NS = 5_000_000_000L;

    private final List<Timed> programs = new ArrayList<>();
    private @Nullable RunStatistics statistics;
    private boolean isRefused;
    private long nextNs;
    private long endNs;
    private int measured;

    /** A program and its runs while the statistics were on. */
    static final class Timed {
        final PlannedProgram planned;
        final RunTimes times = new RunTimes();
        private final int[] probeIds;
        private final BpfProgram program;
        private BpfProgram.Runs runsBefore = new BpfProgram.Runs(0, 0);
        private long hitsBefore;

        private Timed(PlannedProgram planned, List<Integer> probeIds, BpfProgram program) {
            this.planned = planned;
            this.probeIds = probeIds.stream().mapToInt(Integer::intValue).toArray();
            this.program = program;
        }

        private void look(long[] hitCounts, boolean isFirst) {
            long hits = 0;
            for (int probeId : probeIds) {
                hits += hitCounts[probeId];
            }
            BpfProgram.Runs runs = program.runs();
            if (!isFirst) {
                BpfProgram.Runs added = runs.since(runsBefore);
                times.add(added.count(), hits - hitsBefore, added.timeNs());
            }
            runsBefore = runs;
            hitsBefore = hits;
        }
    }

    /** @param probeIds those that it serves */
    Timed add(PlannedProgram planned, List<Integer> probeIds, BpfProgram program) {
        Timed timed = new Timed(planned, probeIds, program);
        programs.add(timed);
        return timed;
    }

    /** The first measurement is due at once. */
    void begin(long nowNs) {
        nextNs = nowNs;
    }

    /** Whether {@link #turn} has something to do. */
    boolean isTime(long nowNs) {
        return !isRefused && nowNs >= nextNs;
    }

    /**
     * Begins or ends a sample.
     *
     * @param hitCounts the hits so far, by probe
     */
    void turn(long nowNs, long[] hitCounts) {
        if (statistics == null) {
            try {
                statistics = RunStatistics.open();
            } catch (SyscallException e) {
                isRefused = true;
                return;
            }
            endNs = nowNs + MEASURED_NS;
            look(hitCounts, true);
            nextNs = nowNs + SAMPLE_NS;
        } else if (nowNs < endNs) {
            look(hitCounts, false);
            nextNs = nowNs + SAMPLE_NS;
        } else {
            end(hitCounts);
            nextNs = nowNs + (measured++ == 0 ? SECOND_TIME_AFTER_NS : EVERY_NS);
        }
    }

    /** Ends a measurement that was begun. */
    void end(long[] hitCounts) {
        if (statistics != null) {
            look(hitCounts, false);
            close();
        }
    }

    private void look(long[] hitCounts, boolean isFirst) {
        programs.forEach(timed -> timed.look(hitCounts, isFirst));
    }

    @Override
    public void close() {
        if (statistics != null) {
            statistics.close();
            statistics = null;
        }
    }
}
