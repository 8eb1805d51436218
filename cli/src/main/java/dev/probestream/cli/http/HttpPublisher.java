package dev.probestream.cli.http;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.LineOutput;
import dev.probestream.cli.live.LiveEventBatch;
import dev.probestream.cli.live.LivePublisher;
import dev.probestream.cli.live.LossWarning;
import dev.probestream.cli.live.TaskNames;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Prints the requests of a live collection, each when it completes, and at the end those that are still open. A slow
 * output blocks this publisher, the ring fills, and the probes count the hits that do not fit.
 */
final class HttpPublisher implements LivePublisher {
    /**
     * A server's response is complete when nothing more is written. If its length is unknown, it is taken as complete
     * after a pause of this length.
     */
    private static final long QUIET_NS = 200_000_000;

    private final Options options;
    private final ZoneId zone;
    private final LongSupplier monotonicNs;
    private final LineOutput output;
    private final Runnable stop;
    private final LossWarning losses;
    private final LineBuffer lines = new LineBuffer();
    private final TaskNames names = new TaskNames();
    private final LiveEventBatch batch = new LiveEventBatch();
    private final EventView event = new EventView();
    private final RequestAssembler requests = new RequestAssembler(this::print);
    private final LostHits lost = new LostHits();

    private TraceTimes times = TraceTimes.UNKNOWN;
    private RequestWriter writer = new HttpText(times);
    private long nowNs;
    private long madeLines;
    private long printedLines;
    private long filteredOut;
    private long printedBytes;

    /**
     * A publisher that prints on {@code output}.
     *
     * @param zone of the time of day
     * @param monotonicNs CLOCK_MONOTONIC
     * @param warnings receives the warnings
     * @param stop requests the end of the collection, after the last line or when the output is closed
     */
    public HttpPublisher(
            Options options,
            ZoneId zone,
            LongSupplier monotonicNs,
            LineOutput output,
            Consumer<String> warnings,
            Runnable stop) {
        this.options = options;
        this.zone = zone;
        this.monotonicNs = monotonicNs;
        this.output = output;
        this.losses = new LossWarning(warnings);
        this.stop = stop;
        requests.lost(lost);
    }

    @Override
    public void publish(EventEncoder encoded) {
        if (batch.isFull()) {
            assemble();
        }
        batch.add(encoded);
    }

    @Override
    public void capture(Capture capture) {
        times = new TraceTimes(capture.getMonotonicNs(), capture.getRealtimeNs(), zone);
        writer = options.isJson() ? new HttpJson(times) : new HttpText(times);
        writer.header(lines);
        write();
    }

    @Override
    public void probe(Probe probe) {
        requests.probe(probe);
        lost.probe(probe);
    }

    @Override
    public void loss(Loss loss) {
        losses.add(loss);
        lost.loss(loss);
    }

    /** A request that a gap cuts has no end: the next answer may be another's. */
    @Override
    public void gap(Gap gap) {
        if (requests.dependsOn(gap.getCategory())) {
            assemble();
            nowNs = gap.getFromNs();
            try {
                requests.interrupt(gap.getFromNs());
            } catch (IOException e) {
                throw new UncheckedIOException("print a request", e);
            }
        }
    }

    @Override
    public void thread(Thread thread) {
        names.add(thread);
    }

    @Override
    public void process(Process process) {
        names.add(process);
    }

    @Override
    public void flush() {
        assemble();
        write();
        if (!output.isStalled()) {
            // If neither lines nor warnings are read (2>&1), printing would block the end.
            losses.print(times.startNs());
        }
    }

    @Override
    public void tick() {
        assemble();
        try {
            requests.quietSince(monotonicNs.getAsLong() - QUIET_NS);
        } catch (IOException e) {
            throw new UncheckedIOException("print a request", e);
        }
        write();
    }

    @Override
    public void complete() {
        assemble();
        try {
            nowNs = monotonicNs.getAsLong();
            requests.finish(nowNs);
        } catch (IOException e) {
            throw new UncheckedIOException("print a request", e);
        }
        flush();
    }

    @Override
    public Optional<String> completionReason() {
        return hasEnough() ? Optional.of(count(printedLines, "request") + " as asked for") : Optional.empty();
    }

    @Override
    public List<String> summary(CollectionOutcome outcome) {
        List<String> words = new ArrayList<>();
        words.add(String.format(
                Locale.ROOT,
                "printed %s%s from %s in %.1f s, %s",
                count(printedLines, "request"),
                filteredOut == 0 ? "" : String.format(Locale.ROOT, ", left out %,d,", filteredOut),
                count(outcome.deliveredEvents(), "event"),
                outcome.duration().toNanos() / 1e9,
                outcome.lostEvents() == 0
                        ? "none lost"
                        : String.format(Locale.ROOT, "%,d LOST", outcome.lostEvents())));
        if (output.isStalled()) {
            words.add("the reader stopped reading: the last " + count(madeLines - printedLines, "request")
                    + " could not be printed completely");
        }
        return words;
    }

    @Override
    public long publishedBytes() {
        return printedBytes;
    }

    @Override
    public void close() {
        // The caller owns the output.
    }

    /** The ring holds spans in the order of their ends, and cpus interleave; the assembler needs the order of their starts. */
    private void assemble() {
        int count = batch.count();
        long[] startsNs = new long[count];
        Integer[] order = new Integer[count];
        for (int i = 0; i < count; i++) {
            batch.view(i, event);
            startsNs[i] = event.timestampNs();
            order[i] = i;
        }
        Arrays.sort(order, Comparator.comparingLong(i -> startsNs[i]));
        try {
            for (int i : order) {
                batch.view(i, event);
                requests.event(event);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("print a request", e);
        }
        batch.clear();
    }

    private void print(Request request) {
        long durationNs = Math.max(0, (request.endNs() < 0 ? nowNs : request.endNs()) - request.startNs());
        if (!options.filter().passes(request, durationNs)) {
            filteredOut++;
        } else if (!hasEnough() && !output.isClosed()) {
            madeLines++;
            if (!output.isStalled()) {
                writer.write(request, names.comm(request.tid()), durationNs, lines);
            }
            if (lines.length() > 1 << 20) {
                write();
            }
        }
    }

    private boolean hasEnough() {
        return options.maxLines() > 0 && madeLines >= options.maxLines();
    }

    private void write() {
        if (output.write(lines)) {
            printedBytes += lines.length();
            printedLines = madeLines;
        }
        lines.clear();
        if (hasEnough() || output.isClosed() || output.isStalled()) {
            stop.run();
        }
    }

    private static String count(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }

    /**
     * The options of the printed requests.
     *
     * @param filter the requests to print
     * @param isJson whether lines are JSON objects
     * @param maxLines the number of lines after which tracing ends; 0 = no limit
     */
    record Options(HttpFilter filter, boolean isJson, long maxLines) {}

    /** Formats the line of one request. */
    interface RequestWriter {
        /** Appends the header. */
        void header(LineBuffer out);

        /**
         * Appends the line.
         *
         * @param comm the name of its thread
         * @param durationNs its duration so far
         */
        void write(Request request, String comm, long durationNs, LineBuffer out);
    }
}
