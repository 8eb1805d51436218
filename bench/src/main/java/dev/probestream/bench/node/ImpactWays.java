package dev.probestream.bench.node;

import dev.probestream.bench.measure.Options;
import dev.probestream.bench.probe.Bpftrace;
import dev.probestream.bench.probe.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The ways to watch a server, by name: what bpftrace and OpenTelemetry do, the live commands, and else {@code record} with the
 * sets of that name.
 *
 * @param names in the order in which they take turns
 * @param launcher of the version to be measured
 * @param before of another version, to be measured in the same rounds
 * @param budget for our commands, once more in addition to those without
 */
record ImpactWays(List<String> names, Path launcher, Optional<Path> before, Optional<String> budget) {
    static final String NOTHING = "nothing";
    static final String OPENTELEMETRY = "opentelemetry";
    private static final String BPFTRACE_PRINTING = "bpftrace-printing";
    private static final String BPFTRACE_COUNTING = "bpftrace-counting";

    private static final List<String> ALL = List.of(
            "watch",
            "node-http",
            "node-requests",
            "node-db",
            "node-statements",
            "node-turns",
            "node-loop",
            "node-fs",
            "node-pool",
            "node-net",
            "node-gc",
            "syscalls",
            "sched",
            "profile",
            "all",
            "incident",
            "http",
            "loop",
            BPFTRACE_PRINTING,
            BPFTRACE_COUNTING,
            OPENTELEMETRY);

    ImpactWays {
        names = List.copyOf(names);
    }

    static ImpactWays of(Options options, Path launcher) {
        return new ImpactWays(
                options.list("ways", ALL),
                launcher,
                options.text("before").map(folder -> Path.of(folder, "probestream")),
                options.text("budget"));
    }

    /** To be started with the server, not attached to it. */
    static boolean isBuiltIn(String name) {
        return name.equals(OPENTELEMETRY);
    }

    /** Those of one name. None if bpftrace is not installed. */
    List<TracingTool> of(String name, Path folder, NodeProgram server) throws IOException, InterruptedException {
        if (isBuiltIn(name)) {
            return List.of(TracingTool.builtIn(name));
        }
        if (name.equals(BPFTRACE_PRINTING) || name.equals(BPFTRACE_COUNTING)) {
            return Bpftrace.version().isEmpty() ? List.of() : List.of(bpftrace(name, folder, server));
        }
        List<TracingTool> ways = new ArrayList<>();
        before.ifPresent(other -> ways.add(ours(name + ", before", other, name, List.of(), folder, server)));
        ways.add(ours(name, launcher, name, List.of(), folder, server));
        budget.ifPresent(part ->
                ways.add(ours(name + ", --budget " + part, launcher, name, List.of("--budget", part), folder, server)));
        return ways;
    }

    private static TracingTool bpftrace(String name, Path folder, NodeProgram server) throws IOException {
        String program = name.equals(BPFTRACE_PRINTING)
                ? HttpHits.printing(server.executable())
                : HttpHits.counting(server.executable());
        return TracingTool.bpftrace(name, server, program, folder.resolve("bpftrace.txt"));
    }

    private static TracingTool ours(
            String title, Path launcher, String name, List<String> arguments, Path folder, NodeProgram server) {
        boolean isLive = name.equals("http") || name.equals("loop");
        List<String> command = new ArrayList<>(List.of(launcher.toString(), isLive ? name : "record"));
        command.addAll(List.of("-p", Long.toString(server.pid())));
        command.addAll(arguments);
        if (isLive) {
            String ready = name.equals("http") ? "tracing requests" : "tracing event loops";
            return TracingTool.ours(title, command, ready, folder.resolve(name + ".txt"));
        }
        command.addAll(List.of("--probes", name, "-o", recording(folder).toString()));
        return TracingTool.ours(title, command, "recording with ", Tool.NOWHERE);
    }

    /** What {@code record} writes. */
    static Path recording(Path folder) {
        return folder.resolve("recording.avro");
    }
}
