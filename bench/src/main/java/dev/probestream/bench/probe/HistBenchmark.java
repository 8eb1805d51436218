package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code hist} costs the thread whose calls are counted, beside bpftrace counting the same. */
public final class HistBenchmark implements Benchmark {
    private static final int ROUNDS = 9;
    private static final int CALLS = 100_000;

    @Override
    public String name() {
        return "hist";
    }

    @Override
    public String about() {
        return "one call of an empty function, counted in the kernel by a number, a text, its duration: by us, by bpftrace";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        String bpftrace = Bpftrace.version();
        Samples bare = new Samples();
        Samples empty = new Samples();
        Samples emptyPair = new Samples();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path())) {
            List<CountingRounds> atEntry = atEntry(target);
            CountingRounds duration = duration(target);
            Hits calls = target::call;
            calls.perHit(CALLS);
            for (int round = 0; round < ROUNDS; round++) {
                bare.add(calls.perHit(CALLS));
                empty.add(calls.perHit(CALLS, EmptyProgram.attach(target, false)));
                emptyPair.add(
                        calls.perHit(CALLS, EmptyProgram.attach(target, true), EmptyProgram.attach(target, false)));
                for (CountingRounds each : atEntry) {
                    round(folder.path(), target, each, bpftrace);
                }
                round(folder.path(), target, duration, bpftrace);
            }
            table.measured("no probe", bare, "ns");
            table.measured("empty program", empty, "ns");
            atEntry.forEach(each -> each.fill(table, empty.median(), "empty"));
            table.measured("empty programs at entry and return", emptyPair, "ns");
            duration.fill(table, emptyPair.median(), "empty pair");
            notes(table, bpftrace, atEntry, duration);
        }
    }

    private static void round(Path folder, TargetProgram target, CountingRounds rounds, String bpftrace)
            throws IOException {
        rounds.ours(target::call, CALLS);
        if (!bpftrace.isEmpty()) {
            rounds.theirs(folder, target, target::call, CALLS);
        }
    }

    private static List<CountingRounds> atEntry(TargetProgram target) {
        String probe = "uprobe:" + TargetProgram.FUNCTION;
        String place = Bpftrace.entry(target);
        return List.of(
                new CountingRounds(
                        "hist: calls", () -> Counting.byArguments(target, probe), place + " { @ = count(); }"),
                new CountingRounds(
                        "hist: by a number (64 keys)",
                        () -> Counting.byArguments(target, probe + "(b=arg2:s64)"),
                        place + " { @[arg1] = count(); }"),
                new CountingRounds(
                        "hist: log2 of a number",
                        () -> Counting.log2(target, probe + "(a=arg1:s64)"),
                        place + " { @ = hist(arg0); }"),
                new CountingRounds(
                        "hist: by a text (4 keys)",
                        () -> Counting.byArguments(target, probe + "(text=arg5:str[64])"),
                        place + " { @[str(arg4)] = count(); }"));
    }

    private static CountingRounds duration(TargetProgram target) {
        return new CountingRounds(
                "hist: log2 of the duration",
                () -> Counting.log2(target, "span:" + TargetProgram.FUNCTION),
                Bpftrace.entry(target) + " { @start[tid] = nsecs; } " + Bpftrace.exit(target)
                        + " /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start[tid]); }");
    }

    private static void notes(
            ResultTable table, String bpftrace, List<CountingRounds> atEntry, CountingRounds duration) {
        table.note(ROUNDS + " rounds of " + CALLS + " calls each, in turn; CPU time of the calling thread. What we"
                + " count is the calls, exactly, in every round. A text of 64 bytes at most, as bpftrace's.");
        if (bpftrace.isEmpty()) {
            table.note("bpftrace is not installed and was left out (apt-get install bpftrace).");
            return;
        }
        String differences = Stream.concat(atEntry.stream(), Stream.of(duration))
                .map(CountingRounds::difference)
                .filter(difference -> !difference.isEmpty())
                .collect(Collectors.joining("; "));
        table.note(bpftrace + " counted " + (differences.isEmpty() ? "all calls, too." : differences + "."));
    }
}
