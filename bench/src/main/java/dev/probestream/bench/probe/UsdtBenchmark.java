package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a hit of a USDT probe costs beside one of a function, with its arguments in a register and in memory. */
public final class UsdtBenchmark implements Benchmark {
    private static final int ROUNDS = 9;
    private static final int HITS = 100_000;
    private static final String PROBE = "usdt:" + TargetProgram.PROVIDER + ":" + TargetProgram.MARK;

    @Override
    public String name() {
        return "usdt";
    }

    @Override
    public String about() {
        return "one pass of a USDT probe (a nop of one byte) beside one call of a function (which begins with push)";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        boolean hasBpftrace = !Bpftrace.version().isEmpty();
        Samples bareMark = new Samples();
        Samples emptyCall = new Samples();
        Samples emptyMark = new Samples();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path())) {
            CountingRounds call = new CountingRounds(
                    "hist: a function, by an argument in a register",
                    () -> Counting.byArguments(target, "uprobe:" + TargetProgram.FUNCTION + "(b=arg2:s64)"),
                    Bpftrace.entry(target) + " { @[arg1] = count(); }");
            String place = "usdt:" + target.executable() + ":" + TargetProgram.PROVIDER + ":" + TargetProgram.MARK;
            List<CountingRounds> marks = List.of(
                    new CountingRounds(
                            "hist: USDT, log2 of an argument in a register",
                            () -> Counting.log2(target, PROBE + "(a=arg1)"),
                            place + " { @ = hist(arg0); }"),
                    new CountingRounds(
                            "hist: USDT, by an argument in memory",
                            () -> Counting.byArguments(target, PROBE + "(b=arg2)"),
                            place + " { @[arg1] = count(); }"));
            Hits calls = target::call;
            Hits passes = target::mark;
            passes.perHit(HITS);
            for (int round = 0; round < ROUNDS; round++) {
                bareMark.add(passes.perHit(HITS));
                emptyCall.add(calls.perHit(HITS, EmptyProgram.attach(target, false)));
                emptyMark.add(passes.perHit(HITS, EmptyProgram.attachToMark(target)));
                round(folder.path(), target, call, calls, hasBpftrace);
                for (CountingRounds mark : marks) {
                    round(folder.path(), target, mark, passes, hasBpftrace);
                }
            }
            table.measured("no probe, a pass", bareMark, "ns");
            table.measured("empty program at the function", emptyCall, "ns");
            table.compared(
                    "empty program at the USDT probe",
                    emptyMark,
                    "ns",
                    emptyMark.median() / emptyCall.median(),
                    "the function's");
            call.fill(table, emptyCall.median(), "empty at the function");
            marks.forEach(mark -> mark.fill(table, emptyMark.median(), "empty at the probe"));
        }
        table.note(ROUNDS + " rounds of " + HITS + " hits each, in turn; CPU time of the hitting thread. What we count"
                + " is the hits, exactly, in every round.");
    }

    private static void round(Path folder, TargetProgram target, CountingRounds rounds, Hits hits, boolean hasBpftrace)
            throws IOException {
        rounds.ours(hits, HITS);
        if (hasBpftrace) {
            rounds.theirs(folder, target, hits, HITS);
        }
    }
}
