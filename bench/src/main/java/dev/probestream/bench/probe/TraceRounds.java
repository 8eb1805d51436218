package dev.probestream.bench.probe;

import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** One of the tools that print: what it costs the thread that is hit, how much it prints, what it loses. */
final class TraceRounds {
    /** Flat out. */
    static final int CALLS = 200_000;
    /** What either tool can print, on a busy machine, too. */
    static final int PACE_PER_SECOND = 20_000;

    private final String name;
    private final Opener opener;
    private final Samples nowhere = new Samples();
    private final Samples rejected = new Samples();
    private final Samples toFile = new Samples();
    private final Samples offered = new Samples();
    private final Samples linesPerSecond = new Samples();
    private final Samples lostPercent = new Samples();
    private final Samples paced = new Samples();
    private final Samples pacedLostPercent = new Samples();
    private long hits;
    private long lines;
    private long saidLost;

    /** Starts the tool. */
    @FunctionalInterface
    interface Opener {
        /**
         * Starts it and waits until the target is probed.
         *
         * @param output {@link Tool#NOWHERE} or a file; every hit from now on is to be in the file, or lost
         * @param isRejecting whether its filter passes no hit
         */
        Tracer open(Path output, boolean isRejecting) throws IOException;
    }

    TraceRounds(String name, Opener opener) {
        this.name = name;
        this.opener = opener;
    }

    /** Calls at a pace that leaves time to print all of them. */
    static Hits atPace(TargetProgram target) {
        return count -> target.pace(1, count, PACE_PER_SECOND).cpuNs();
    }

    /** Does everything once, starting the tool for each output and filter. */
    void round(Path folder, TargetProgram target) throws IOException {
        Hits calls = target::call;
        try (Tracer tracer = opener.open(Tool.NOWHERE, false)) {
            nowhere.add(calls.perHit(CALLS));
            tracer.finish();
        }
        Path file = folder.resolve("lines.txt");
        try (Tracer tracer = opener.open(file, false)) {
            Printing first = Printing.of(calls, CALLS, tracer.tool()); // a JVM gets faster
            Printing flatOut = Printing.of(calls, CALLS, tracer.tool());
            toFile.add(flatOut.perHitNs());
            offered.add(flatOut.offeredPerSecond() / 1e3);
            linesPerSecond.add(flatOut.lines() / flatOut.seconds() / 1e3);
            lostPercent.add(100.0 - 100.0 * flatOut.lines() / CALLS);
            Printing slow = Printing.of(atPace(target), PACE_PER_SECOND, tracer.tool());
            paced.add(slow.perHitNs());
            pacedLostPercent.add(100.0 - 100.0 * slow.lines() / PACE_PER_SECOND);
            saidLost += tracer.finish();
            hits += 2 * CALLS + PACE_PER_SECOND;
            lines += first.lines() + flatOut.lines() + slow.lines();
        }
        try (Tracer tracer = opener.open(file, true)) {
            rejected.add(calls.perHit(CALLS));
            if (tracer.finish() + Printing.lines(tracer.tool()) > 0) {
                throw new IllegalStateException(name + " prints or loses what its filter does not pass");
            }
        }
    }

    /** Hits that it neither printed nor called lost. */
    long unreported() {
        return hits - lines - saidLost;
    }

    /** Flat out, to a file. */
    double toFileNs() {
        return toFile.median();
    }

    void costs(ResultTable table, double emptyNs, double pacedEmptyNs) {
        table.compared(name + ", to /dev/null", nowhere, "ns", nowhere.median() / emptyNs, "empty");
        table.compared(name + ", to a file", toFile, "ns", toFile.median() / emptyNs, "empty");
        table.compared(name + ", a filter that passes nothing", rejected, "ns", rejected.median() / emptyNs, "empty");
        table.compared(name + ", to a file, at a pace", paced, "ns", paced.median() / pacedEmptyNs, "empty at a pace");
    }

    void lines(ResultTable table) {
        table.measured(name + ", to a file: offered", offered, "k calls/s");
        table.measured(name + ", to a file: printed", linesPerSecond, "k lines/s");
        table.measured(name + ", to a file: lost", lostPercent, "%");
        table.measured(name + ", to a file, at a pace: lost", pacedLostPercent, "%");
    }

    /** For a remark. */
    String counts() {
        return String.format(
                Locale.ROOT,
                "%s, to a file: %,d hits = %,d lines + %,d reported lost + %,d unreported.",
                name,
                hits,
                lines,
                saidLost,
                unreported());
    }

    /** A running tool that prints a line for each hit of the target. */
    interface Tracer extends AutoCloseable {
        /** Its process. */
        Tool tool();

        /** Ends it and returns how many hits it reports as lost. */
        long finish() throws IOException;

        @Override
        void close();
    }
}
