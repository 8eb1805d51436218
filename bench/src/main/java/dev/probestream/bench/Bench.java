package dev.probestream.bench;

import dev.probestream.bench.causes.CausesBenchmark;
import dev.probestream.bench.convert.CodecBenchmark;
import dev.probestream.bench.convert.ConvertBenchmark;
import dev.probestream.bench.convert.ParquetBenchmark;
import dev.probestream.bench.healthy.HealthyBenchmark;
import dev.probestream.bench.kafka.PublishBenchmark;
import dev.probestream.bench.kafka.SinkBenchmark;
import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Options;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.node.ImpactBenchmark;
import dev.probestream.bench.node.JavaScriptStackBenchmark;
import dev.probestream.bench.probe.CollectorBenchmark;
import dev.probestream.bench.probe.DrainBenchmark;
import dev.probestream.bench.probe.HistBenchmark;
import dev.probestream.bench.probe.HitBenchmark;
import dev.probestream.bench.probe.LossBenchmark;
import dev.probestream.bench.probe.StartBenchmark;
import dev.probestream.bench.probe.TraceBenchmark;
import dev.probestream.bench.query.QueryBenchmark;
import dev.probestream.bench.truth.TruthBenchmark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Runs one benchmark and prints its table; {@code bench/run} starts it once for each, so that no benchmark warms up the JVM for another. */
public final class Bench {
    private static final List<Benchmark> ALL = List.of(
            new HitBenchmark(),
            new TraceBenchmark(),
            new HistBenchmark(),
            new ImpactBenchmark(),
            new TruthBenchmark(),
            new HealthyBenchmark(),
            new CausesBenchmark(),
            new JavaScriptStackBenchmark(),
            new DrainBenchmark(),
            new LossBenchmark(),
            new CollectorBenchmark(),
            new PublishBenchmark(),
            new CodecBenchmark(),
            new ConvertBenchmark(),
            new ParquetBenchmark(),
            new QueryBenchmark(),
            new SinkBenchmark(),
            new StartBenchmark());

    private Bench() {}

    /** Runs the benchmark of the given name with the given options; without an argument, prints all names, one per line. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            ALL.forEach(benchmark -> System.out.println(benchmark.name()));
            return;
        }
        for (Benchmark benchmark : ALL) {
            if (benchmark.name().equals(arguments[0])) {
                try {
                    List<String> options = List.of(arguments).subList(1, arguments.length);
                    run(benchmark, Options.parse(options, benchmark.options(), benchmark.flags()));
                } catch (Options.WrongUseException e) {
                    System.err.println("bench " + benchmark.name() + ": " + e.getMessage());
                    System.exit(2);
                }
                return;
            }
        }
        System.err.println("bench: there is no benchmark " + arguments[0] + "; there are "
                + String.join(" ", ALL.stream().map(Benchmark::name).toList()));
        System.exit(2);
    }

    private static void run(Benchmark benchmark, Options options) throws Exception {
        System.out.println("\n## " + benchmark.name() + ": " + benchmark.about() + "\n");
        SystemLoad before = SystemLoad.read();
        ResultTable table = new ResultTable();
        benchmark.run(table, options);
        table.print(System.out);
        System.out.printf(
                Locale.ROOT,
                "%nLoad of the machine (1 min): %.1f before, %.1f after.%n",
                before.oneMinute(),
                SystemLoad.read().oneMinute());
        if (table.isWrong()) {
            System.exit(1);
        }
    }

    /**
     * The load of the machine, from /proc/loadavg (proc(5)).
     *
     * @param oneMinute runnable threads, averaged over the last minute
     */
    private record SystemLoad(double oneMinute) {
        static SystemLoad read() throws IOException {
            String text = Files.readString(Path.of("/proc/loadavg"));
            return new SystemLoad(Double.parseDouble(text.substring(0, text.indexOf(' '))));
        }
    }
}
