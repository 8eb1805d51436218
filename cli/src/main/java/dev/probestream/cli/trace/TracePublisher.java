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
import dev.probestream.collector.CollectionOutcome;
import dev.probestream.collector.dialect.Message;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Capture;
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
 * Prints a live collection. The events of one reading of the ring are held until {@link #flush}, when their stacks have
 * names; then their lines are made, in the order of time, and written in one go. Where the output is slow this blocks,
 * the ring fills, and the probes count what they refuse.
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
    /** What was told of threads and processes since the last flush, each before the event of this number. */
    private final List<Runnable> tidings = new ArrayList<>();

    private int[] tidingsAt = new int[16];
    private @Nullable ProbeLines[] probes = new @Nullable ProbeLines[16];
    private TraceTimes times = TraceTimes.UNKNOWN;
    private LineWriter writer;
    private long[] timesNs = new long[0];
    private int[] order = new int[0];
    private String[] comms = new String[0];
    private long madeLines;
    private long printedLines;
    private long printedBytes;
    /** Hits whose lines are made and not written. */
    private long pendingHits;

    private long refusedHits;

    /**
     * A publisher that prints on {@code output}.
     *
     * @param zone of the clock on the wall
     * @param notices takes what is to be said beside the lines
     * @param stop asks the collection to end, when there are lines enough or nobody reads them
     */
    public TracePublisher(
            TraceOptions options, ZoneId zone, LineOutput output, Consumer<String> notices, Runnable stop) {
        this.options = options;
        this.zone = zone;
        this.output = output;
        this.losses = new LossWarning(notices);
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
        note(probe);
    }

    @Override
    public void stack(Stack stack) {
        stacks.note(stack);
    }

    @Override
    public void loss(Loss loss) {
        losses.note(loss);
    }

    @Override
    public void thread(Thread thread) {
        noteTiding(tasks.tiding(thread));
    }

    @Override
    public void process(Process process) {
        noteTiding(tasks.tiding(process));
    }

    @Override
    public void flush() {
        print();
        if (!output.isStalled()) {
            // Who reads neither lines nor notices (2>&1) would hold up the end here.
            losses.say(times.startNs());
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
    public void look() {
        // Lines are due at hits only.
    }

    @Override
    public Optional<String> enough() {
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
            words.add("nobody read the output at the end: the last " + count(refusedHits, "event")
                    + " could not be printed, or not wholly");
        }
        return words;
    }

    @Override
    public void close() {
        // The output is not ours.
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

    private void note(Probe probe) {
        int id = probe.getProbeId();
        if (id >= probes.length) {
            probes = Arrays.copyOf(probes, Math.max(2 * probes.length, id + 1));
        }
        probes[id] = new ProbeLines(probe, options.messages().getOrDefault(probe.getSpec(), List.of()));
    }

    private void noteTiding(Runnable tiding) {
        if (tidings.size() == tidingsAt.length) {
            tidingsAt = Arrays.copyOf(tidingsAt, 2 * tidingsAt.length);
        }
        tidingsAt[tidings.size()] = batch.count();
        tidings.add(tiding);
    }

    /** Prints what is held, and forgets it. */
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

    /** Names change between events: each thread gets the name that it had at its event. */
    private void readInOrderOfTheRing() {
        int count = batch.count();
        if (order.length < count) {
            order = new int[2 * count];
            timesNs = new long[2 * count];
            comms = new String[2 * count];
        }
        int told = 0;
        for (int i = 0; i < count; i++) {
            while (told < tidings.size() && tidingsAt[told] <= i) {
                tidings.get(told++).run();
            }
            batch.view(i, hit.event);
            order[i] = i;
            timesNs[i] = hit.timeNs();
            comms[i] = tasks.comm(hit.event.tid());
        }
        while (told < tidings.size()) {
            tidings.get(told++).run();
        }
        tidings.clear();
    }

    /** By insertion: the ring is nearly in order, only cpus overtake one another by a little. */
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
        pendingHits++;
        hit.comm = comms[event];
        hit.uid = tasks.uid(hit.event.pid());
        hit.stack = stacks.stack(hit.event.stackId());
        for (int i = 0; i < probe.messages().size() && !isDone(); i++) {
            line(probe, probe.messages().get(i));
        }
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

    /** Makes the line of one hit. */
    interface LineWriter {
        /** What stands before the first line; may be "". */
        String header();

        /** @param message how to print it; empty = every argument with its name */
        void write(Hit hit, ProbeLines probe, Optional<Message> message, LineBuffer out);
    }
}
