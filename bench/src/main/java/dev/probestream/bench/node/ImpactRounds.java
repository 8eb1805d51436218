package dev.probestream.bench.node;

import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.probe.Tool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What one way to watch costs one server. */
final class ImpactRounds {
    /** Of the table that {@link #row} fills. */
    static final String[] COLUMNS = {
        "way", "CPU/request", "ratio", "least .. most", "requests/s", "ratio", "p99", "ratio", "its own CPU", "lost"
    };

    /** A budget is kept from the second interval of measurement on. */
    private static final int SETTLE_MS = 3000;

    private final TracingTool watching;
    private final LoadedServer watched;
    private final LoadedServer unwatched;
    private final Figures with = new Figures();
    private final Figures without = new Figures();
    private final Samples ownUs = new Samples();
    private long lost;

    /**
     * The runs of the load.
     *
     * @param count how many rounds
     * @param ms how long each run takes
     * @param settleMs how long the load goes on before each run under what watches: a JVM compiles in its first seconds
     * @param rate of requests per second; {@link ServerLoad#FLAT_OUT} = as many as are answered
     */
    record Plan(int count, int ms, int settleMs, int rate) {}

    /** What the runs of the load measured. */
    private record Figures(Samples perSecond, Samples p99Ms, Samples cpuUs) {
        Figures() {
            this(new Samples(), new Samples(), new Samples());
        }

        void add(ServerLoad.Result result) {
            perSecond.add(result.perSecond());
            p99Ms.add(result.p99Us() / 1e3);
            cpuUs.add(result.cpuUs());
        }
    }

    /**
     * @param watched under load while it is watched
     * @param unwatched under load just before, to compare; may be the same
     */
    ImpactRounds(TracingTool watching, LoadedServer watched, LoadedServer unwatched) {
        this.watching = watching;
        this.watched = watched;
        this.unwatched = unwatched;
    }

    String name() {
        return watching.name();
    }

    void round(Path folder, Plan plan) throws IOException {
        without.add(unwatched.run(plan.ms, plan.rate));
        if (watching.isBuiltIn()) {
            with.add(watched.run(plan.ms, plan.rate));
            ownUs.add(0);
            return;
        }
        Tool tool = watching.start(folder);
        try {
            int settleMs = watching.hasBudget() ? Math.max(SETTLE_MS, plan.settleMs) : plan.settleMs;
            if (settleMs > 0) {
                watched.run(settleMs, plan.rate);
            }
            long ownNs = tool.cpuNs();
            ServerLoad.Result result = watched.run(plan.ms, plan.rate);
            with.add(result);
            ownUs.add((tool.cpuNs() - ownNs) / 1e3 / result.requests());
        } finally {
            tool.close();
        }
        lost += TracingTool.lost(tool);
    }

    /** Medians. */
    List<String> row() {
        Samples ratios = with.cpuUs.pairedRatios(without.cpuUs);
        return List.of(
                watching.name(),
                ResultTable.number(with.cpuUs.median()) + " us",
                two(ratios.median()),
                two(ratios.least()) + " .. " + two(ratios.most()),
                ResultTable.number(with.perSecond.median()),
                two(with.perSecond.pairedRatios(without.perSecond).median()),
                ResultTable.number(with.p99Ms.median()) + " ms",
                two(with.p99Ms.pairedRatios(without.p99Ms).median()),
                watching.isBuiltIn() ? "" : ResultTable.number(ownUs.median()) + " us",
                String.format(Locale.ROOT, "%,d", lost));
    }

    /** The server's CPU time per request, by that of the same server without. */
    double cpuRatio() {
        return with.cpuUs.pairedRatios(without.cpuUs).median();
    }

    private static String two(double ratio) {
        return String.format(Locale.ROOT, "%.2f", ratio);
    }
}
