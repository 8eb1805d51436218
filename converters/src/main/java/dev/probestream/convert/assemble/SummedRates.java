package dev.probestream.convert.assemble;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.record.HitSummary;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes counters of one capture's summaries: for each process and set of probes, how many hits a second there were. A set's
 * summaries of one interval come together; a process that has none in an interval had no hits in it.
 */
final class SummedRates {
    private final CaptureTracks capture;
    private final DerivedCounters counters;
    private final TraceWriter writer;
    private final Map<String, OfSet> sets = new LinkedHashMap<>();

    SummedRates(CaptureTracks capture, DerivedCounters counters, TraceWriter writer) {
        this.capture = capture;
        this.counters = counters;
        this.writer = writer;
    }

    void add(HitSummary summary) throws IOException {
        String category = capture.probeCategory(summary.getProbeId());
        OfSet set = sets.computeIfAbsent(category, added -> new OfSet());
        set.begin(summary.getFromNs(), summary.getToNs());
        ThreadTrack thread = capture.thread(summary.getPid(), summary.getTid(), capture.traceNs(summary.getFromNs()));
        int process = thread.process().index();
        Rate rate = set.byProcess.get(process);
        if (rate == null) {
            rate = new Rate(counters.add(thread, category + " hits/s", category, "hits/s"));
            set.byProcess.put(process, rate);
        }
        rate.hits += summary.getCount();
    }

    void finish() throws IOException {
        for (OfSet set : sets.values()) {
            set.write();
        }
    }

    /** A counter, and the hits of the interval that is being read. */
    private static final class Rate {
        private final TraceWriter.DerivedCounter counter;
        private long hits;

        Rate(TraceWriter.DerivedCounter counter) {
            this.counter = counter;
        }
    }

    /** The counters of one set, and the interval that is being read. */
    private final class OfSet {
        private static final double NS_PER_SECOND = 1e9;

        private final Map<Integer, Rate> byProcess = new LinkedHashMap<>();
        private long fromNs = Long.MAX_VALUE;
        private long toNs = Long.MIN_VALUE;

        void begin(long summaryFromNs, long summaryToNs) throws IOException {
            if (summaryToNs != toNs) {
                write();
                fromNs = Long.MAX_VALUE;
                toNs = summaryToNs;
            }
            fromNs = Math.min(fromNs, summaryFromNs);
        }

        void write() throws IOException {
            for (Rate rate : byProcess.values()) {
                long perSecond = Math.round(rate.hits * NS_PER_SECOND / Math.max(1, toNs - fromNs));
                writer.derived(rate.counter, capture.traceNs(fromNs), perSecond);
                rate.hits = 0;
            }
        }
    }
}
