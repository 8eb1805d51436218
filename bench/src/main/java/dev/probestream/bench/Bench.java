package dev.probestream.bench;

import java.util.List;
import java.util.Locale;

/** Runs one benchmark and prints its table; {@code bench/run} starts it once for each, so that none warms another up. */
public final class Bench {
    private static final List<Benchmark> ALL = List.of(
            new HitBenchmark(),
            new TraceBenchmark(),
            new HistBenchmark(),
            new UsdtBenchmark(),
            new ImpactBenchmark(),
            new PackageBenchmark(),
            new DrainBenchmark(),
            new LossBenchmark(),
            new PublishBenchmark(),
            new CodecBenchmark(),
            new ConvertBenchmark(),
            new ParquetBenchmark(),
            new QueryBenchmark(),
            new SinkBenchmark(),
            new StartBenchmark());

    private Bench() {}

    /** Takes the name of a benchmark, or nothing: then it prints the names, one a line. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            ALL.forEach(benchmark -> System.out.println(benchmark.name()));
            return;
        }
        for (Benchmark benchmark : ALL) {
            if (benchmark.name().equals(arguments[0])) {
                run(benchmark);
                return;
            }
        }
        System.err.println("bench: there is no benchmark " + arguments[0] + "; there are "
                + String.join(" ", ALL.stream().map(Benchmark::name).toList()));
        System.exit(2);
    }

    private static void run(Benchmark benchmark) throws Exception {
        System.out.println("\n## " + benchmark.name() + ": " + benchmark.about() + "\n");
        Load before = Load.read();
        Table table = new Table();
        benchmark.run(table);
        table.print(System.out);
        System.out.printf(
                Locale.ROOT,
                "%nLoad of the machine (1 min): %.1f before, %.1f after.%n",
                before.oneMinute(),
                Load.read().oneMinute());
    }
}
