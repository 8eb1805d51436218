package dev.probestream.collector.internal.cost;

import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.RunStatistics;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.program.PlannedProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long a hit keeps each program: by the kernel's statistics of runs, which are switched on for a small part of
 * the time, because they cost every program of the machine two readings of the clock. Not thread-safe.
 */
final class ProgramTimes implements AutoCloseable {
    private static final long SAMPLE_NS = 50_000_000;
    private static final long SECOND_SAMPLE_AFTER_NS = 1_000_000_000;
    private static final long EVERY_NS = 5_000_000_000L;

    /** A run for a process that is not traced: it ends after a look at the ids. */
    private static final double REJECTED_NS = 15;

    /** The kernel reads its clock at both ends of a run; about one reading is inside the time. */
    private static final double STATISTICS_NS = 20;

    private final List<Timed> programs = new ArrayList<>();
    private @Nullable RunStatistics statistics;
    private boolean isRefused;
    private long nextNs;
    private int samples;

    /** A program and its runs while the statistics were on. */
    static final class Timed {
        final PlannedProgram planned;
        private final BpfProgram program;
        private long runs;
        private long timeNs;
        private long hitsBefore;
        private long ownRuns;
        private double ownNs;

        private Timed(PlannedProgram planned, BpfProgram program) {
            this.planned = planned;
            this.program = program;
        }

        private void begin(long hits) {
            runs = program.runCount();
            timeNs = program.runTimeNs();
            hitsBefore = hits;
        }

        private void end(long hits) {
            long newRuns = program.runCount() - runs;
            long newNs = program.runTimeNs() - timeNs;
            long own = Math.min(newRuns, hits - hitsBefore);
            double net = newNs - newRuns * STATISTICS_NS - (newRuns - own) * REJECTED_NS;
            if (own > 0) {
                ownRuns += own;
                ownNs += Math.max(0, net);
            }
        }

        long ownRuns() {
            return ownRuns;
        }

        double ownNs() {
            return ownNs;
        }
    }

    Timed add(PlannedProgram planned, BpfProgram program) {
        Timed timed = new Timed(planned, program);
        programs.add(timed);
        return timed;
    }

    /** The first sample is due at once. */
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
     * @param hits the hits of a program so far
     */
    void turn(long nowNs, ToLongFunction<PlannedProgram> hits) {
        if (statistics == null) {
            try {
                statistics = RunStatistics.open();
            } catch (SyscallException e) {
                isRefused = true;
                return;
            }
            programs.forEach(timed -> timed.begin(hits.applyAsLong(timed.planned)));
            nextNs = nowNs + SAMPLE_NS;
        } else {
            end(hits);
            nextNs = nowNs + (samples++ == 0 ? SECOND_SAMPLE_AFTER_NS : EVERY_NS);
        }
    }

    /** Ends a sample that was begun. */
    void end(ToLongFunction<PlannedProgram> hits) {
        if (statistics != null) {
            programs.forEach(timed -> timed.end(hits.applyAsLong(timed.planned)));
            close();
        }
    }

    @Override
    public void close() {
        if (statistics != null) {
            statistics.close();
            statistics = null;
        }
    }
}
