package dev.probestream.bench.node;

import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.probe.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a hello-world server gives with or without the npm package, round by round, a new process each. */
final class PackageServer {
    private static final int CONNECTIONS = 16;
    private static final int WARM_UP_MS = 1000;
    private static final int LOAD_MS = 1500;
    private static final ServerLoad HELLO = new ServerLoad("/hello");

    private final String name;
    private final String script;
    private final List<String> arguments;
    private final List<String> tracing;
    private final Samples perSecond = new Samples();
    private final Samples cpuUs = new Samples();

    /** @param tracing a command that watches it, to which {@code -p PID} is added; empty = none */
    PackageServer(String name, String script, List<String> arguments, List<String> tracing) {
        this.name = name;
        this.script = script;
        this.arguments = arguments;
        this.tracing = tracing;
    }

    void round(Path folder) throws IOException {
        try (NodeProgram server = NodeProgram.start(folder, script, arguments.toArray(String[]::new));
                NodeProgram load =
                        NodeProgram.start(folder, "load.js", server.firstLine(), Integer.toString(CONNECTIONS))) {
            HELLO.run(server, load, WARM_UP_MS);
            if (tracing.isEmpty()) {
                add(HELLO.run(server, load, LOAD_MS));
                return;
            }
            List<String> command = new ArrayList<>(tracing);
            command.addAll(List.of("-p", Long.toString(server.pid())));
            Tool tool = TracingTool.ours(name, command, "tracing with ", Tool.NOWHERE)
                    .start(folder);
            try (tool) {
                add(HELLO.run(server, load, LOAD_MS));
            }
        }
    }

    private void add(ServerLoad.Result result) {
        perSecond.add(result.perSecond());
        cpuUs.add(result.cpuUs());
    }

    void fill(ResultTable table) {
        table.measured(name, perSecond, "requests/s");
        table.measured(name + ": server's CPU time", cpuUs, "us/request");
    }

    /** The same, compared with another round by round. */
    void fill(ResultTable table, PackageServer other) {
        table.compared(name, perSecond, "requests/s", ratio(perSecond, other.perSecond), "without");
        table.compared(name + ": server's CPU time", cpuUs, "us/request", ratio(cpuUs, other.cpuUs), "without");
    }

    private static double ratio(Samples these, Samples those) {
        return these.pairedRatios(those).median();
    }
}
