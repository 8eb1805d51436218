package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.LineOutput;
import dev.probestream.cli.live.LiveEventBatch;
import dev.probestream.cli.live.LivePublisher;
import dev.probestream.cli.live.LossWarning;
import dev.probestream.cli.live.StackRegistry;
import dev.probestream.cli.live.TaskNames;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.collector.dialect.Message;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prints a live collection. The events of one read of the ring are kept until {@link #flush}, when their stacks have
 * names; then their lines are formatted in the order of time and written at once. A slow output blocks this publisher,
 * the ring fills, and the probes count the hits that do not fit.
 */
final class TracePublisher implements LivePublisher {
    private final TraceOptions options;
    private final ZoneId zone;
    private final LineOutput output;
    private final Runnable stop;
    private final LineBuffer lines = new LineBuffer();
    private final LiveEventBatch batch = new LiveEventBatch();
    private final TaskNames tasks = new TaskNames();
    private final StackRegistry stacks = new StackRegistry();
    private final LossWarning losses;
    private final Hit hit = new Hit();
    /** Updates of threads and processes since the last flush, each to be applied before the event of this number. */
    private final List<Runnable> pendingUpdates = new ArrayList<>();

    private int[] pendingUpdatesAt = new int[16];
    private @Nullable ProbeLines[] probes = new @Nullable ProbeLines[16];
    private TraceTimes times = TraceTimes.UNKNOWN;
    private LineWriter writer;
    private long[] timesNs = new long[0];
    private int[] order = new int[0];
    private String[] comms = new String[0];
    private int[] uids = new int[0];
    private long madeLines;
    private long printedLines;
    private long printedBytes;
    /** Hits whose lines are formatted but not written. */
    private long pendingHits;

    private long refusedHits;

    /**
     * A publisher that prints on {@code output}.
     *
     * @param zone of the time of day
     * @param warnings receives the warnings
     * @param stop requests the end of the collection, after the last line or when the output is closed
     */
    public TracePublisher(
            TraceOptions options, ZoneId zone, LineOutput output, Consumer<String> warnings, Runnable stop) {
        this.options = options;
        this.zone = zone;
        this.output = output;
        this.losses = new LossWarning(warnings);
        this.stop = stop;
        this.writer = writer();
    }

    @Override
    public void publish(EventEncoder event) {
        if (isDone()) {
            refusedHits += output.isStalled() ? 1 : 0;
            return;
        }
        if (batch.isFull()) {
            print();
        }
        batch.add(event);
    }

    @Override
    public void capture(Capture capture) {
        begin(capture);
    }

    @Override
    public void probe(Probe probe) {
        addProbe(probe);
    }

    @Override
    public void stack(Stack stack) {
        stacks.add(stack);
    }

    @Override
    public void loss(Loss loss) {
        losses.add(loss);
    }

    @Override
    public void thread(Thread thread) {
        addUpdate(tasks.update(thread));
    }

    @Override
    public void process(Process process) {
        addUpdate(tasks.update(process));
    }

    @Override
    public void flush() {
        print();
        if (!output.isStalled()) {
            // If neither lines nor warnings are read (2>&1), printing would block the end.
            losses.print(times.startNs());
        }
    }

    @Override
    public void complete() {
        flush();
    }

    @Override
    public long publishedBytes() {
        return printedBytes;
    }

    @Override
    public void tick() {
        // Lines are printed at hits only.
    }

    @Override
    public Optional<String> completionReason() {
        return hasEnough() ? Optional.of(count(printedLines, "line") + " as asked for") : Optional.empty();
    }

    @Override
    public List<String> summary(CollectionOutcome outcome) {
        List<String> words = new ArrayList<>();
        words.add(String.format(
                Locale.ROOT,
                "printed %s of %s in %.1f s, %s",
                count(printedLines, "line"),
                count(outcome.deliveredEvents(), "event"),
                outcome.duration().toNanos() / 1e9,
                outcome.lostEvents() == 0
                        ? "none lost"
                        : String.format(Locale.ROOT, "%,d LOST", outcome.lostEvents())));
        if (refusedHits > 0) {
            words.add("the reader stopped reading: the last " + count(refusedHits, "event")
                    + " could not be printed completely");
        }
        return words;
    }

    @Override
    public void close() {
        // The caller owns the output.
    }

    private boolean hasEnough() {
        return options.maxLines() > 0 && madeLines >= options.maxLines();
    }

    private static String count(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }

    private boolean isDone() {
        return hasEnough() || output.isClosed() || output.isStalled();
    }

    private void begin(Capture capture) {
        times = new TraceTimes(capture.getMonotonicNs(), capture.getRealtimeNs(), zone);
        writer = writer();
        lines.text(writer.header());
        write();
    }

    private LineWriter writer() {
        return options.json() ? new JsonLines(times) : new TextLines(options, times);
    }

    private void addProbe(Probe probe) {
        int id = probe.getProbeId();
        if (id >= probes.length) {
            probes = Arrays.copyOf(probes, Math.max(2 * probes.length, id + 1));
        }
        probes[id] = new ProbeLines(probe, options.messages().getOrDefault(probe.getSpec(), List.of()));
    }

    private void addUpdate(Runnable update) {
        if (pendingUpdates.size() == pendingUpdatesAt.length) {
            pendingUpdatesAt = Arrays.copyOf(pendingUpdatesAt, 2 * pendingUpdatesAt.length);
        }
        pendingUpdatesAt[pendingUpdates.size()] = batch.count();
        pendingUpdates.add(update);
    }

    /** Prints the batch and clears it. */
    private void print() {
        readInOrderOfTheRing();
        sortByTime();
        int printed = 0;
        while (printed < batch.count() && !isDone()) {
            print(order[printed++]);
        }
        pendingHits += output.isStalled() ? batch.count() - printed : 0;
        batch.clear();
        write();
        if (isDone()) {
            stop.run();
        }
    }

    /** Names and users change between events, and processes end: each event gets what its thread and process had. */
    private void readInOrderOfTheRing() {
        int count = batch.count();
        if (order.length < count) {
            order = new int[2 * count];
            timesNs = new long[2 * count];
            comms = new String[2 * count];
            uids = new int[2 * count];
        }
        int applied = 0;
        for (int i = 0; i < count; i++) {
            while (applied < pendingUpdates.size() && pendingUpdatesAt[applied] <= i) {
                pendingUpdates.get(applied++).run();
            }
            batch.view(i, hit.event);
            order[i] = i;
            timesNs[i] = hit.timeNs();
            comms[i] = tasks.comm(hit.event.tid());
            uids[i] = tasks.uid(hit.event.pid());
        }
        while (applied < pendingUpdates.size()) {
            pendingUpdates.get(applied++).run();
        }
        pendingUpdates.clear();
    }

    /** Insertion sort: the ring is nearly in order; only events of different cpus are slightly out of order. */
    private void sortByTime() {
        for (int i = 1; i < batch.count(); i++) {
            int event = order[i];
            int at = i;
            while (at > 0 && timesNs[order[at - 1]] > timesNs[event]) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = event;
        }
    }

    private void print(int event) {
        batch.view(event, hit.event);
        ProbeLines probe = probes[hit.event.probeId()];
        if (probe == null) {
            throw new IllegalStateException("an event of the unknown probe " + hit.event.probeId());
        }
        if (!comms[event].contains(options.comm())) {
            return;
        }
        pendingHits++;
        hit.comm = comms[event];
        hit.uid = uids[event];
        hit.stack = stacks.stack(hit.event.stackId());
        for (int i = 0; i < probe.messages().size() && !isDone(); i++) {
            if (isEnded(probe.messages().get(i))) {
                line(probe, probe.messages().get(i));
            }
        }
    }

    /** A bpftrace program prints at the end of a span. */
    private boolean isEnded(Optional<Message> message) {
        return hit.event.kind() != EventKind.OPEN_SPAN
                || message.isEmpty()
                || message.get().style() != Message.Style.PLAIN;
    }

    private void line(ProbeLines probe, Optional<Message> message) {
        writer.write(hit, probe, message, lines);
        madeLines++;
        if (lines.length() > 1 << 20) {
            write();
        }
    }

    private void write() {
        if (output.write(lines)) {
            printedBytes += lines.length();
            printedLines = madeLines;
        } else {
            refusedHits += pendingHits;
        }
        pendingHits = 0;
        lines.clear();
    }

    /** Formats the line of one hit. */
    interface LineWriter {
        /** The header before the first line; may be "". */
        String header();

        /** @param message how to print it; empty = every argument with its name */
        void write(Hit hit, ProbeLines probe, Optional<Message> message, LineBuffer out);
    }
}
