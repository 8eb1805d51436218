package dev.probestream.cli.demo;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * The number of events at each stage of the pipeline; all must be equal.
 *
 * @param recorded events that the collector published
 * @param acknowledged events that Kafka acknowledged
 * @param inTopic events that were read back from its topic
 * @param isContiguous whether their sequence numbers have no gap and no duplicate
 * @param inPerfetto events in the finished trace for Perfetto
 * @param inChrome events in the finished trace for Chrome
 * @param eventRows rows of the Parquet table 'events', according to the footers of its files
 * @param spanRows rows of the Parquet table 'spans'
 */
record PipelineCounts(
        long recorded,
        long acknowledged,
        long inTopic,
        boolean isContiguous,
        long inPerfetto,
        long inChrome,
        long eventRows,
        long spanRows) {

    /** Whether no event was lost or duplicated between the collector and the files. */
    public boolean agree() {
        return isContiguous
                && LongStream.of(acknowledged, inTopic, inPerfetto, inChrome, eventRows + spanRows)
                        .allMatch(count -> count == recorded);
    }

    /** Prints the counts, one per line. */
    public void print(PrintWriter out) {
        out.println();
        out.println("counted along the way");
        line(out, recorded, "events recorded");
        line(out, acknowledged, "acknowledged by Kafka");
        line(out, inTopic, "in its topic, " + (isContiguous ? "each number once" : "NOT each number once"));
        line(out, inPerfetto, "in trace.pftrace");
        line(out, inChrome, "in trace.json");
        line(
                out,
                eventRows + spanRows,
                String.format(Locale.ROOT, "rows in Parquet: %,d spans, %,d other events", spanRows, eventRows));
        out.flush();
    }

    private static void line(PrintWriter out, long count, String where) {
        out.printf(Locale.ROOT, "  %,11d %s%n", count, where);
    }
}
