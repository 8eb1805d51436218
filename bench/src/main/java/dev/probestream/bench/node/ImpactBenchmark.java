package dev.probestream.bench.node;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.probe.Bpftrace;
import dev.probestream.bench.probe.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What it costs a Node server under load to be watched: requests per second, the slowest of a hundred, and the server's CPU
 * time, with nothing, with our sets and commands, and with bpftrace at the probes of node-http.
 */
public final class ImpactBenchmark implements Benchmark {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final int ROUNDS = 3;
    private static final int LOAD_MS = 1500;
    private static final int WARM_UP_MS = 3000;
    private static final int CONNECTIONS = 16;
    private static final List<String> PATHS = List.of("/hello", "/files");

    private final Path launcher = Path.of(System.getProperty(HOME, "."), "probestream");

    @Override
    public String name() {
        return "impact";
    }

    @Override
    public String about() {
        return "a Node server under load: without tracing, our sets and commands, bpftrace at the probes of node-http";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        String bpftrace = Bpftrace.version();
        try (Folder folder = Folder.create();
                NodeProgram server = NodeProgram.start(folder.path(), "server.js");
                NodeProgram client = NodeProgram.start(
                        folder.path(), "load.js", server.firstLine(), Integer.toString(CONNECTIONS))) {
            List<TracingTool> ways = ways(folder.path(), server, !bpftrace.isEmpty());
            for (String path : PATHS) {
                List<ImpactRounds> all = ways.stream()
                        .map(way -> new ImpactRounds(way, new ServerLoad(path)))
                        .toList();
                new ServerLoad(path).run(server, client, WARM_UP_MS);
                for (int round = 0; round < ROUNDS; round++) {
                    for (ImpactRounds one : all) {
                        one.round(folder.path(), server, client, LOAD_MS);
                    }
                }
                all.forEach(one -> one.fill(table, all.get(0)));
                all.stream().filter(ImpactRounds::hasLosses).forEach(one -> table.note(one.losses()));
            }
        }
        table.note(String.format(
                Locale.ROOT,
                "%d rounds of %.1f s, in turn; %d connections on loopback that stay open. Server, load and what watches"
                        + " share the machine's CPUs: requests/s and p99 show all of it, the server's CPU time only what"
                        + " its own threads pay. Each is started anew and writes into a file. Ratios: round by round,"
                        + " the median.",
                ROUNDS,
                LOAD_MS / 1e3,
                CONNECTIONS));
        table.note(bpftrace.isEmpty() ? "bpftrace is not installed and was left out." : bpftrace + ".");
    }

    private List<TracingTool> ways(Path folder, NodeProgram server, boolean hasBpftrace) throws IOException {
        List<TracingTool> ways = new ArrayList<>();
        ways.add(TracingTool.nothing());
        ways.add(record(folder, server, "node-http"));
        ways.add(record(folder, server, "profile"));
        ways.add(record(folder, server, "all"));
        ways.add(record(folder, server, "incident"));
        ways.add(live(folder, server, "http", "tracing requests"));
        ways.add(live(folder, server, "loop", "tracing event loops"));
        if (hasBpftrace) {
            Path lines = folder.resolve("bpftrace.txt");
            ways.add(TracingTool.bpftrace("bpftrace, printing", server, HttpHits.printing(server.executable()), lines));
            ways.add(TracingTool.bpftrace("bpftrace, counting", server, HttpHits.counting(server.executable()), lines));
        }
        return ways;
    }

    private TracingTool record(Path folder, NodeProgram server, String sets) {
        List<String> command = List.of(
                launcher.toString(),
                "record",
                "-p",
                Long.toString(server.pid()),
                "--probes",
                sets,
                "-o",
                folder.resolve("recording.avro").toString());
        return TracingTool.ours("record " + sets, command, "recording with ", Tool.NOWHERE);
    }

    private TracingTool live(Path folder, NodeProgram server, String command, String ready) {
        return TracingTool.ours(
                command,
                List.of(launcher.toString(), command, "-p", Long.toString(server.pid())),
                ready,
                folder.resolve(command + ".txt"));
    }
}
