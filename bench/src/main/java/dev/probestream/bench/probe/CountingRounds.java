package dev.probestream.bench.probe;

import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.collector.histogram.HistogramTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** One thing to count, by us and by bpftrace in turn: what it costs the thread that is hit, and whether all was counted. */
final class CountingRounds {
    private final String what;
    private final Opener opener;
    private final String bpftraceProgram;
    private final Samples ours = new Samples();
    private final Samples theirs = new Samples();
    private long theirCounted;
    private long theirHits;

    /** Starts our counting. */
    @FunctionalInterface
    interface Opener {
        Counting open() throws IOException;
    }

    /**
     * @param what name of the rows
     * @param bpftraceProgram doing the same in its language
     */
    CountingRounds(String what, Opener opener, String bpftraceProgram) {
        this.what = what;
        this.opener = opener;
        this.bpftraceProgram = bpftraceProgram;
    }

    /** Has us count; that all are counted is checked. */
    void ours(Hits hits, int count) throws IOException {
        try (Counting counting = opener.open()) {
            hits.perHit(count); // makes the keys
            double perHitNs = hits.perHit(count);
            HistogramTable table = counting.finish();
            if (table.total() != 2L * count || table.lost() != 0) {
                throw new IllegalStateException(
                        what + ": " + 2 * count + " hits, but counted " + table.total() + ", lost " + table.lost());
            }
            ours.add(perHitNs);
        }
    }

    /** Has bpftrace count. */
    void theirs(Path folder, TargetProgram target, Hits hits, int count) throws IOException {
        Path output = folder.resolve("bpftrace-counts.txt");
        try (Bpftrace bpftrace = Bpftrace.ready(folder, target, output, bpftraceProgram)) {
            hits.perHit(count);
            theirs.add(hits.perHit(count));
            theirCounted += bpftrace.finishCounting();
            theirHits += 2L * count;
        }
    }

    /** Adds the rows. */
    void fill(ResultTable table, double emptyNs, String emptyName) {
        table.compared(what, ours, "ns", ours.median() / emptyNs, emptyName);
        if (theirs.count() > 0) {
            table.compared("bpftrace: " + bpftraceName(), theirs, "ns", theirs.median() / ours.median(), "ours");
        }
    }

    /** What bpftrace left out of what it counted, for a remark; empty when it counted all. */
    String difference() {
        return theirCounted == theirHits
                ? ""
                : String.format(Locale.ROOT, "%s: %,d of %,d hits", bpftraceName(), theirCounted, theirHits);
    }

    private String bpftraceName() {
        return what.substring(what.indexOf(' ') + 1);
    }
}
