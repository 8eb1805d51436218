package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What {@code trace} costs the thread that is traced, how many lines it prints and what it loses, beside bpftrace. */
public final class TraceBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final String SPEC =
            "uprobe:" + TargetProgram.FUNCTION + "(text=arg5:str[64], a=arg1:s64, b=arg2:s64)";
    private static final String OUR_MESSAGE = "\"%s %d %d\", arg5, arg1, arg2";
    /** The columns that we always print, and the same message. */
    private static final String BPFTRACE_PRINT =
            "printf(\"%lu %d %d %s probed %s %d %d\\n\", nsecs, pid, tid, comm, str(arg4), arg0, arg1);";

    private static final int ROUNDS = 5;
    private static final int CALLS = TraceRounds.CALLS;
    private static final int RING_SIZE_BYTES = 64 << 20;

    private final Path launcher = Path.of(System.getProperty(HOME, "."), "probestream");

    @Override
    public String name() {
        return "trace";
    }

    @Override
    public String about() {
        return "one call of an empty function that is printed with a string and two numbers, by us and by bpftrace";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        String bpftrace = Bpftrace.version();
        Kernel kernel = new Kernel();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path())) {
            TraceRounds ours = new TraceRounds(
                    "trace",
                    (output, isRejecting) ->
                            TraceProcess.start(launcher, folder.path(), target, output, ourLine(target, isRejecting)));
            TraceRounds theirs = new TraceRounds(
                    "bpftrace", (output, isRejecting) -> bpftrace(folder.path(), target, output, isRejecting));
            List<TraceRounds> tools = bpftrace.isEmpty() ? List.of(ours) : List.of(ours, theirs);
            target.call(CALLS);
            for (int round = 0; round < ROUNDS; round++) {
                kernel.round(target);
                for (TraceRounds tool : tools) {
                    tool.round(folder.path(), target);
                }
            }
            if (ours.unreported() != 0) {
                throw new IllegalStateException("not all calls are lines or counted as lost: " + ours.counts());
            }
            kernel.fill(table);
            tools.forEach(tool -> tool.costs(table, kernel.empty.median(), kernel.pacedEmpty.median()));
            tools.forEach(tool -> tool.lines(table));
            if (!bpftrace.isEmpty()) {
                table.value("bpftrace : trace, to a file", theirs.toFileNs() / ours.toFileNs(), "x");
            }
            notes(table, bpftrace, tools);
        }
    }

    private static String ourLine(TargetProgram target, boolean isRejecting) {
        return "p:" + target.executable() + ":" + TargetProgram.FUNCTION + (isRejecting ? " (arg2 == 1000000) " : " ")
                + OUR_MESSAGE;
    }

    private static TraceRounds.Tracer bpftrace(Path folder, TargetProgram target, Path output, boolean isRejecting)
            throws IOException {
        if (output.equals(Tool.NOWHERE)) {
            Bpftrace bpftrace = Bpftrace.start(folder, target, BPFTRACE_PRINT);
            bpftrace.awaitProbe(target);
            return bpftrace;
        }
        String filter = isRejecting ? " /arg1 == 1000000/" : "";
        return Bpftrace.ready(folder, target, output, Bpftrace.entry(target) + filter + " { " + BPFTRACE_PRINT + " }");
    }

    private static void notes(ResultTable table, String bpftrace, List<TraceRounds> tools) {
        table.note(String.format(
                Locale.ROOT,
                "%d rounds of %,d calls each, in turn, flat out; at a pace: %,d calls/s for a second. CPU time of the"
                        + " calling thread. Both tools start anew for each row and print time, pid, tid, comm, a string"
                        + " and two numbers. A hit that is lost costs less than one that is printed. Lines per second:"
                        + " of the wall clock, from the first call to the last line, after a first burst that is not"
                        + " measured.",
                ROUNDS,
                CALLS,
                TraceRounds.PACE_PER_SECOND));
        Stream.concat(
                        tools.stream().map(TraceRounds::counts),
                        Stream.of(
                                bpftrace.isEmpty()
                                        ? "bpftrace is not installed and was left out (apt-get install bpftrace)."
                                        : bpftrace + "."))
                .forEach(table::note);
    }

    /** What the kernel alone takes. */
    private static final class Kernel {
        private final Samples bare = new Samples();
        private final Samples empty = new Samples();
        private final Samples capture = new Samples();
        private final Samples pacedBare = new Samples();
        private final Samples pacedEmpty = new Samples();

        void round(TargetProgram target) throws IOException {
            Hits calls = target::call;
            Hits paced = TraceRounds.atPace(target);
            bare.add(calls.perHit(CALLS));
            empty.add(calls.perHit(CALLS, EmptyProgram.attach(target, false)));
            pacedBare.add(paced.perHit(TraceRounds.PACE_PER_SECOND));
            pacedEmpty.add(paced.perHit(TraceRounds.PACE_PER_SECOND, EmptyProgram.attach(target, false)));
            try (Capture attached = Capture.attach(target, SPEC, RING_SIZE_BYTES)) {
                calls.perHit(CALLS); // touches the ring's pages
                attached.drain();
                double perCallNs = calls.perHit(CALLS);
                long samples = attached.drain();
                if (samples != CALLS) {
                    throw new IllegalStateException(SPEC + " gave " + samples + " samples of " + CALLS + " calls");
                }
                capture.add(perCallNs);
            }
        }

        void fill(ResultTable table) {
            table.measured("no probe", bare, "ns");
            table.measured("empty program", empty, "ns");
            table.compared("our program, no reader", capture, "ns", capture.median() / empty.median(), "empty");
            table.measured("no probe, at a pace", pacedBare, "ns");
            table.measured("empty program, at a pace", pacedEmpty, "ns");
        }
    }
}
