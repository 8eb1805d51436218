package dev.probestream.bench.node;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.Grid;
import dev.probestream.bench.measure.Options;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.probe.Bpftrace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What it costs Node servers under load to be watched: their CPU time per request, requests per second and the slowest of a
 * hundred, with nothing, with our sets and commands, with bpftrace at the probes of node-http, and with OpenTelemetry in them.
 */
public final class ImpactBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int ROUNDS = 3;
    private static final int LOAD_MS = 1500;
    private static final int WARM_UP_MS = 3000;
    /** A busy machine answers few requests in a second, and V8 compiles what has run often. */
    private static final int WARM_UP_REQUESTS = 10_000;

    private static final int WARM_UP_RUNS = 5;

    /** The most that the server's CPU time per request may be, by that of the server that nothing watches. */
    private static final Map<ServerKind, Map<String, Double>> GOALS = Map.of(
            ServerKind.HELLO, Map.of("node-http", 1.15, "loop", 1.2, "all", 1.5),
            ServerKind.FILES, Map.of("node-fs", 1.1, "all", 1.25),
            ServerKind.API, Map.of("node-http", 1.02, "all", 1.10, "incident", 1.15));

    private final Path launcher = Path.of(System.getProperty(HOME, "."), "probestream");

    @Override
    public String name() {
        return "impact";
    }

    @Override
    public String about() {
        return "Node servers under load: unwatched, our sets and commands, bpftrace at the probes of node-http, OpenTelemetry";
    }

    @Override
    public List<String> options() {
        return List.of("rounds", "ms", "settle", "rate", "servers", "ways", "budget", "before");
    }

    @Override
    public void run(ResultTable table) throws Exception {
        run(table, new Options(Map.of()));
    }

    @Override
    public void run(ResultTable table, Options options) throws IOException, InterruptedException {
        ImpactRounds.Plan plan = new ImpactRounds.Plan(
                options.number("rounds", ROUNDS),
                options.number("ms", LOAD_MS),
                options.number("settle", 0),
                options.number("rate", ServerLoad.FLAT_OUT));
        ImpactWays ways = ImpactWays.of(options, launcher);
        List<ServerKind> kinds =
                options
                        .list(
                                "servers",
                                Arrays.stream(ServerKind.values())
                                        .map(ServerKind::title)
                                        .toList())
                        .stream()
                        .map(ServerKind::of)
                        .toList();
        for (ServerKind kind : kinds) {
            measure(table, kind, ways, plan);
        }
        String bpftrace = Bpftrace.version();
        table.note(String.format(
                Locale.ROOT,
                "%d rounds in turn, each of %.1f s without and as long with what watches, after %.1f s of load, %s; 16 connections on loopback that stay open. Server, load and what watches"
                        + " share the machine's CPUs: requests/s and p99 show all of it, the server's CPU time only what"
                        + " its own threads pay. What watches is started anew each time and writes into a file."
                        + " OpenTelemetry makes spans and drops them. Ratios: with to without of the same round, the"
                        + " median. Runs, events and bytes per request are those of one"
                        + " more run; programs at one place share a trap.",
                plan.count(),
                plan.ms() / 1e3,
                plan.settleMs() / 1e3,
                plan.rate() == ServerLoad.FLAT_OUT ? "as many requests as are answered" : plan.rate() + " requests/s"));
        table.note(bpftrace.isEmpty() ? "bpftrace is not installed and was left out." : bpftrace + ".");
    }

    private static void measure(ResultTable table, ServerKind kind, ImpactWays ways, ImpactRounds.Plan plan)
            throws IOException, InterruptedException {
        try (Folder folder = Folder.create();
                LoadedServer plain = LoadedServer.start(folder.path(), kind);
                LoadedServer instrumented = ways.names().contains(ImpactWays.OPENTELEMETRY)
                        ? LoadedServer.withOpenTelemetry(folder.path(), kind)
                        : plain) {
            List<ImpactRounds> all = new ArrayList<>();
            all.add(new ImpactRounds(TracingTool.builtIn(ImpactWays.NOTHING), plain, plain));
            List<TracingTool> recording = new ArrayList<>();
            for (String name : ways.names()) {
                LoadedServer watched = ImpactWays.isBuiltIn(name) ? instrumented : plain;
                List<TracingTool> ofName = ways.of(name, folder.path(), plain.server());
                ofName.forEach(way -> all.add(new ImpactRounds(way, watched, plain)));
                ofName.stream().filter(TracingTool::hasRecording).forEach(recording::add);
            }
            warmUp(plain);
            warmUp(instrumented);
            for (int round = 0; round < plan.count(); round++) {
                for (ImpactRounds one : all) {
                    one.round(folder.path(), plan);
                }
            }
            fill(table, kind, all);
            Grid hits = new Grid(columns(kind, RequestHits.COLUMNS));
            for (TracingTool way : recording) {
                hits.add(RequestHits.measure(folder.path(), way, plain).row(way.name()));
            }
            table.grid(hits);
        }
    }

    private static void warmUp(LoadedServer server) throws IOException {
        long requests = 0;
        for (int run = 0; run < WARM_UP_RUNS && requests < WARM_UP_REQUESTS; run++) {
            requests += server.run(WARM_UP_MS, ServerLoad.FLAT_OUT).requests();
        }
    }

    private static void fill(ResultTable table, ServerKind kind, List<ImpactRounds> all) {
        Grid grid = new Grid(columns(kind, ImpactRounds.COLUMNS));
        all.forEach(one -> grid.add(one.row()));
        table.grid(grid);
        Map<String, Double> goals = GOALS.getOrDefault(kind, Map.of());
        for (ImpactRounds one : all) {
            Double goal = goals.get(one.name());
            if (goal != null) {
                table.atMost(kind.title() + ", " + one.name(), one.cpuRatio(), "x nothing", goal);
            }
        }
    }

    private static String[] columns(ServerKind kind, String[] names) {
        String[] columns = names.clone();
        columns[0] = kind.title();
        return columns;
    }
}
