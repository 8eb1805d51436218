package dev.probestream.cli.demo;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The summary of 'demo': measurements of the load, and those of the probes in the same five seconds. */
final class DemoTable {
    private static final int PHASES = 12;
    private static final int SYSTEM_CALLS = 8;
    private static final int FILE_OPERATIONS = 5;
    private static final String ROW = "  %-30s %9s %10s %10s %10s%n";

    private final SampleLoad.Outcome load;
    private final SampleServer.Counts server;
    private final RecordedDemo recorded;

    /** Compares the recorded events with the counts of the load and the server. */
    public DemoTable(SampleLoad.Outcome load, SampleServer.Counts server, RecordedDemo recorded) {
        this.load = load;
        this.server = server;
        this.recorded = recorded;
    }

    /** Prints the table. */
    public void print(PrintWriter out) {
        Histogram latencies = load.latenciesNs();
        out.printf(
                Locale.ROOT,
                "requests: %,d answered, %,d failed; latency p50 %s, p99 %s, max %s%n",
                load.answered(),
                load.failed(),
                ms(latencies.getValueAtPercentile(50)),
                ms(latencies.getValueAtPercentile(99)),
                ms(latencies.getMaxValue()));
        out.printf(
                Locale.ROOT,
                "files opened: %,d counted by the server, %,d recorded%n",
                server.opens(),
                recorded.count("uv_fs_open"));
        durations(out, "event loop phase", RecordedDemo.LOOP, PHASES);
        slowestFileOperations(out);
        durations(out, "system call", RecordedDemo.SYSTEM_CALLS, SYSTEM_CALLS);
        durations(out, "garbage collection", RecordedDemo.GARBAGE, PHASES);
        out.printf(
                Locale.ROOT,
                "%n%,d events, %s%n",
                recorded.events(),
                recorded.losses() == 0 ? "none lost" : String.format(Locale.ROOT, "%,d LOST", recorded.losses()));
        out.flush();
    }

    private void durations(PrintWriter out, String title, String category, int limit) {
        out.println();
        out.printf(ROW, title, "count", "p50", "p99", "max");
        DurationsByName durations = recorded.durations(category);
        if (durations.isEmpty()) {
            out.println("  (none)");
        }
        for (Map.Entry<String, Histogram> row : durations.mostFrequent(limit)) {
            Histogram histogram = row.getValue();
            out.printf(
                    ROW,
                    row.getKey(),
                    String.format(Locale.ROOT, "%,d", histogram.getTotalCount()),
                    ms(histogram.getValueAtPercentile(50)),
                    ms(histogram.getValueAtPercentile(99)),
                    ms(histogram.getMaxValue()));
        }
    }

    private void slowestFileOperations(PrintWriter out) {
        out.println();
        out.println("  slowest file operations, from the call to the end of the callback");
        List<FileOperations.Operation> slowest = recorded.fileOperations().slowest(FILE_OPERATIONS);
        if (slowest.isEmpty()) {
            out.println("  (none)");
        }
        for (FileOperations.Operation operation : slowest) {
            out.printf("  %10s  %-16s %s%n", ms(operation.durationNs()), operation.name(), operation.path());
        }
    }

    private static String ms(long ns) {
        return String.format(Locale.ROOT, "%.3f ms", ns / 1e6);
    }
}
