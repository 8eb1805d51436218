package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.probe.TargetProgram.Pace;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.publish.FilePublisher;
import dev.probestream.collector.request.CollectionOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ExecutionException;

/** The whole way from a probe to a local file at a high rate: what gets lost, and what an event costs the collector. */
public final class LossBenchmark implements Benchmark {
    private static final String SPEC =
            "uprobe:" + TargetProgram.FUNCTION + "(a=arg1:s64, b=arg2:s64, text=arg5:str[32])";
    private static final int THREADS = 2;
    private static final int CALLS_PER_THREAD = 2_500_000;
    private static final long CALLS = (long) THREADS * CALLS_PER_THREAD;
    private static final int PACE_PER_THREAD = 500_000;
    private static final int FLAT_OUT = 0;
    private static final int ROUNDS = 5;

    /** What the rounds at one pace measured. */
    private record Figures(
            Samples offeredMillions, Samples lost, Samples deliveredMillions, Samples collectorNs, Samples targetNs) {
        Figures() {
            this(new Samples(), new Samples(), new Samples(), new Samples(), new Samples());
        }

        void rows(ResultTable table, String pace) {
            table.measured(pace + ": offered", offeredMillions, "M calls/s");
            table.measured(pace + ": delivered", deliveredMillions, "M events/s");
            table.measured(pace + ": lost", lost, "of " + CALLS);
            table.measured(pace + ": the target's CPU time", targetNs, "ns/call");
            table.compared(
                    pace + ": the collector's CPU time",
                    collectorNs,
                    "ns/event",
                    collectorNs.median() / targetNs.median(),
                    "the target's");
        }
    }

    @Override
    public String name() {
        return "loss";
    }

    @Override
    public String about() {
        return "two threads that hit a probe 1 M times a second, then as fast as they can, collected into a local file";
    }

    @Override
    public void run(ResultTable table) throws Exception {
        Figures paced = new Figures();
        Figures flatOut = new Figures();
        long bytes = 0;
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path())) {
            Path file = folder.path().resolve("loss.avro");
            round(target, file, PACE_PER_THREAD, new Figures()); // for the JVM to compile
            for (int round = 0; round < ROUNDS; round++) {
                round(target, file, PACE_PER_THREAD, paced);
                bytes = Files.size(file);
                round(target, file, FLAT_OUT, flatOut);
            }
        }
        paced.rows(table, "paced");
        flatOut.rows(table, "flat out");
        table.atMost("paced: lost, median of the rounds", paced.lost().median(), "events", 0);
        table.note(String.format(
                Locale.ROOT,
                "%d rounds of %,d calls at each pace; in each, delivered + lost = calls, exactly. A ring of %d MiB, the"
                        + " default. %.1f bytes of the file per event. CPU time of all threads.",
                ROUNDS,
                CALLS,
                ProgramOptions.DEFAULT_RING_SIZE_BYTES >> 20,
                (double) bytes / CALLS));
    }

    private static void round(TargetProgram target, Path file, int perThreadAndSecond, Figures figures)
            throws IOException, InterruptedException, ExecutionException {
        Collecting collecting = Collecting.start(target.pid(), SPEC, () -> FilePublisher.create(file));
        long startNs = CpuClock.processNs();
        Pace pace;
        CollectionOutcome outcome;
        try {
            pace = target.pace(THREADS, CALLS_PER_THREAD, perThreadAndSecond);
        } finally {
            outcome = collecting.finish();
        }
        long collectorNs = CpuClock.processNs() - startNs;
        if (outcome.deliveredEvents() + outcome.lostEvents() != CALLS) {
            throw new IllegalStateException(CALLS + " calls, but " + outcome.deliveredEvents()
                    + " events delivered and " + outcome.lostEvents() + " counted as lost");
        }
        figures.offeredMillions.add(CALLS * 1e3 / pace.wallNs());
        figures.deliveredMillions.add((double) outcome.deliveredEvents() * 1e3 / pace.wallNs());
        figures.lost.add((double) outcome.lostEvents());
        figures.collectorNs.add((double) collectorNs / outcome.deliveredEvents());
        figures.targetNs.add((double) pace.cpuNs() / CALLS);
    }
}
