package dev.probestream.bench.node;

import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.probe.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** What one way to watch costs the server under one load. */
final class ImpactRounds {
    private final TracingTool watching;
    private final ServerLoad load;
    private final Samples perSecond = new Samples();
    private final Samples p99Ms = new Samples();
    private final Samples cpuUs = new Samples();
    private long requests;
    private long lost;

    ImpactRounds(TracingTool watching, ServerLoad load) {
        this.watching = watching;
        this.load = load;
    }

    void round(Path folder, NodeProgram server, NodeProgram client, int ms) throws IOException {
        if (watching.isNothing()) {
            add(load.run(server, client, ms));
            return;
        }
        Tool tool = watching.start(folder);
        try {
            add(load.run(server, client, ms));
        } finally {
            tool.close();
        }
        lost += TracingTool.lost(tool);
    }

    private void add(ServerLoad.Result result) {
        perSecond.add(result.perSecond());
        p99Ms.add(result.p99Us() / 1e3);
        cpuUs.add(result.cpuUs());
        requests += result.requests();
    }

    /** Rows, each compared with the server without tracing, round by round. */
    void fill(ResultTable table, ImpactRounds nothing) {
        String name = load.path() + ", " + watching.name();
        if (watching.isNothing()) {
            table.measured(name, perSecond, "requests/s");
            table.measured(name + ": p99", p99Ms, "ms");
            table.measured(name + ": server's CPU time", cpuUs, "us/request");
            return;
        }
        table.compared(name, perSecond, "requests/s", ratio(perSecond, nothing.perSecond), "nothing");
        table.compared(name + ": p99", p99Ms, "ms", ratio(p99Ms, nothing.p99Ms), "nothing");
        table.compared(name + ": server's CPU time", cpuUs, "us/request", ratio(cpuUs, nothing.cpuUs), "nothing");
    }

    /** For a remark. */
    String losses() {
        return String.format(
                Locale.ROOT, "%s, %s: %,d requests, %,d hits lost.", load.path(), watching.name(), requests, lost);
    }

    boolean hasLosses() {
        return lost > 0;
    }

    private static double ratio(Samples these, Samples those) {
        return these.pairedRatios(those).median();
    }
}
