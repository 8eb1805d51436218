package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bpf.kernel.Link;
import java.io.IOException;
import java.nio.file.Path;

/** What a hit costs the thread that makes it, in CPU time of its own: everything between user code and user code. */
public final class HitBenchmark implements Benchmark {
    /** pid, tid, cpu and time are in every sample. */
    private static final String ARGUMENTS = "(a=arg1:s64, b=arg2:s64, c=arg3:s32, d=arg4:u32, text=arg5:str[32])";

    private static final String BPFTRACE_PRINT =
            "printf(\"%d %d %d %lu %ld %ld %d %d %s\\n\", pid, tid, cpu, nsecs, arg0, arg1, arg2, arg3, str(arg4));";
    /** The least that bpftrace takes for an action. */
    private static final String BPFTRACE_EMPTY = "1";

    private static final int ROUNDS = 11;
    private static final int CALLS = 100_000;
    /** Every sample of a round fits: nothing has to be read while the target runs. */
    private static final int RING_SIZE_BYTES = 32 << 20;

    private static final double CAPTURE_ABOVE_EMPTY_NS = 200;
    private static final double BPFTRACE_TO_CAPTURE = 10;

    @Override
    public String name() {
        return "hit";
    }

    @Override
    public String about() {
        return "one call of an empty function that begins with push: without a probe, probed by us, by bpftrace";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        Rounds rounds = new Rounds();
        String bpftrace = Bpftrace.version();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path())) {
            target.call(CALLS);
            for (int round = 0; round < ROUNDS; round++) {
                rounds.bare.add(perCall(target));
                rounds.empty.add(perCall(target, EmptyProgram.attach(target, false)));
                rounds.emptyPair.add(
                        perCall(target, EmptyProgram.attach(target, true), EmptyProgram.attach(target, false)));
                rounds.bareCapture.add(captured(target, "uprobe:" + TargetProgram.FUNCTION));
                rounds.capture.add(captured(target, "uprobe:" + TargetProgram.FUNCTION + ARGUMENTS));
                rounds.span.add(captured(target, "span:" + TargetProgram.FUNCTION + "(a=arg1:s64, result=ret:s64)"));
                rounds.spanWithText.add(captured(target, "span:" + TargetProgram.FUNCTION + ARGUMENTS));
                if (!bpftrace.isEmpty()) {
                    rounds.bpftraceEmpty.add(traced(folder.path(), target, BPFTRACE_EMPTY));
                    rounds.bpftracePrint.add(traced(folder.path(), target, BPFTRACE_PRINT));
                }
            }
        }
        rounds.fill(table, bpftrace);
    }

    /** Measures, then detaches what is attached. */
    private static double perCall(TargetProgram target, Link... attached) throws IOException {
        try {
            return (double) target.call(CALLS) / CALLS;
        } finally {
            for (Link link : attached) {
                link.close();
            }
        }
    }

    private static double captured(TargetProgram target, String spec) throws IOException {
        try (Capture capture = Capture.attach(target, spec, RING_SIZE_BYTES)) {
            target.call(CALLS); // touches the ring's pages
            capture.drain();
            double perCallNs = perCall(target);
            long samples = capture.drain();
            if (samples != CALLS) {
                throw new IllegalStateException(spec + " gave " + samples + " samples of " + CALLS + " calls");
            }
            return perCallNs;
        }
    }

    private static double traced(Path folder, TargetProgram target, String action) throws IOException {
        try (Bpftrace bpftrace = Bpftrace.start(folder, target, action)) {
            bpftrace.awaitProbe(target);
            return perCall(target);
        }
    }

    /** The samples of every way to be hit. */
    private static final class Rounds {
        private final Samples bare = new Samples();
        private final Samples empty = new Samples();
        private final Samples emptyPair = new Samples();
        private final Samples bareCapture = new Samples();
        private final Samples capture = new Samples();
        private final Samples span = new Samples();
        private final Samples spanWithText = new Samples();
        private final Samples bpftraceEmpty = new Samples();
        private final Samples bpftracePrint = new Samples();

        void fill(ResultTable table, String bpftrace) {
            double emptyNs = empty.median();
            table.measured("no probe", bare, "ns");
            table.measured("empty program", empty, "ns");
            table.compared("capture: pid, tid, cpu, time", bareCapture, "ns", bareCapture.median() / emptyNs, "empty");
            table.compared("capture: and 4 arguments, a string", capture, "ns", capture.median() / emptyNs, "empty");
            double pairNs = emptyPair.median();
            table.measured("empty programs at entry and return", emptyPair, "ns");
            table.compared("span: 1 argument, result", span, "ns", span.median() / pairNs, "empty pair");
            table.compared(
                    "span: 4 arguments, a string", spanWithText, "ns", spanWithText.median() / pairNs, "empty pair");
            table.atMost("capture above empty program", capture.median() - emptyNs, "ns", CAPTURE_ABOVE_EMPTY_NS);
            table.note(ROUNDS + " rounds of " + CALLS + " calls each, in turn; CPU time of the calling thread.");
            if (bpftrace.isEmpty()) {
                table.note("bpftrace is not installed and was left out (apt-get install bpftrace).");
                return;
            }
            table.compared("bpftrace, empty action", bpftraceEmpty, "ns", bpftraceEmpty.median() / emptyNs, "empty");
            table.compared(
                    "bpftrace, printing the same", bpftracePrint, "ns", bpftracePrint.median() / emptyNs, "empty");
            table.atLeast(
                    "bpftrace printing : capture", bpftracePrint.median() / capture.median(), "x", BPFTRACE_TO_CAPTURE);
            table.note(
                    bpftrace + " prints to /dev/null. What it loses cannot be counted there, and costs the target less;"
                            + " we lost nothing.");
        }
    }
}
