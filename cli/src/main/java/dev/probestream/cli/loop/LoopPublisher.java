package dev.probestream.cli.loop;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.cli.live.LineOutput;
import dev.probestream.cli.live.LivePublisher;
import dev.probestream.cli.live.TaskNames;
import dev.probestream.cli.live.TraceTimes;
import dev.probestream.cli.loop.LoopProbe.Meaning;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.EventView;
import dev.probestream.schema.MalformedEventException;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Prints the loops of a live collection of {@link LoopProbes}: a table each interval, or every slow turn; at the end a
 * table of the totals. A slow output blocks this publisher, the ring fills, and the probes count the hits that do not fit.
 */
final class LoopPublisher implements LivePublisher {
    /** The set that sees the turns. */
    private static final String LOOP_SET = "node-loop";

    private final Options options;
    private final ZoneId zone;
    private final LongSupplier monotonicNs;
    private final LineOutput output;
    private final Runnable stop;
    private final LineBuffer lines = new LineBuffer();
    private final TaskNames names = new TaskNames();
    private final Map<Integer, LoopProbe> probes = new HashMap<>();
    private final LoopRegistry book;
    private final EventView event = new EventView();

    private TraceTimes times = TraceTimes.UNKNOWN;
    private LoopWriter writer;
    private long intervalStartNs;
    private long lostInInterval;
    private long lost;
    private int shownTables;
    private long turnCount;
    private long printedBytes;

    /**
     * A publisher that prints on {@code output}.
     *
     * @param zone of the time of day
     * @param monotonicNs CLOCK_MONOTONIC
     * @param stop requests the end of the collection, after the last table or when the output is closed
     */
    public LoopPublisher(Options options, ZoneId zone, LongSupplier monotonicNs, LineOutput output, Runnable stop) {
        this.options = options;
        this.zone = zone;
        this.monotonicNs = monotonicNs;
        this.output = output;
        this.stop = stop;
        // An activity shorter than a twentieth of a slow turn does not explain it.
        long minRanNs = options.slowNs().isPresent() ? options.slowNs().getAsLong() / 20 : Long.MAX_VALUE;
        this.book = new LoopRegistry(minRanNs, this::turn);
        this.writer = writer();
    }

    @Override
    public void publish(EventEncoder encoded) {
        try {
            event.wrap(encoded.bytes(), encoded.offset(), encoded.offset() + encoded.length());
        } catch (MalformedEventException e) {
            throw new IllegalStateException("an event that was encoded here cannot be read", e);
        }
        LoopProbe probe = probes.get(event.probeId());
        if (probe == null) {
            throw new IllegalStateException("an event of the unknown probe " + event.probeId());
        }
        if (event.kind() == EventKind.SPAN || probe.meaning() == Meaning.POLL_ENTRY) {
            book.add(probe, event);
        }
    }

    @Override
    public void capture(Capture capture) {
        times = new TraceTimes(capture.getMonotonicNs(), capture.getRealtimeNs(), zone);
        writer = writer();
        intervalStartNs = monotonicNs.getAsLong();
        options.slowNs().ifPresent(unused -> writer.slowHeader(lines));
        write();
    }

    @Override
    public void probe(Probe probe) {
        probes.put(probe.getProbeId(), new LoopProbe(probe));
    }

    @Override
    public void loss(Loss loss) {
        lostInInterval += loss.getCount();
        lost += loss.getCount();
    }

    /** A turn that a gap cuts may be several. */
    @Override
    public void gap(Gap gap) {
        if (gap.getCategory().equals(LOOP_SET)) {
            book.interrupted();
        }
    }

    @Override
    public void thread(Thread thread) {
        if (thread.getEndNs() >= 0) {
            book.threadEnded(thread.getTid(), names.comm(thread.getTid()));
        }
        names.add(thread);
    }

    @Override
    public void process(Process process) {
        names.add(process);
    }

    @Override
    public void flush() {
        write();
        tick();
    }

    @Override
    public void tick() {
        long nowNs = monotonicNs.getAsLong();
        if (options.slowNs().isPresent() || nowNs - intervalStartNs < options.intervalNs() || isDone()) {
            return;
        }
        show(nowNs, false);
        // Keeps the rhythm, unless it is late by a whole interval.
        long dueNs = intervalStartNs + options.intervalNs();
        intervalStartNs = nowNs - dueNs < options.intervalNs() ? dueNs : nowNs;
        shownTables++;
        if (isDone()) {
            stop.run();
        }
    }

    /** Prints the totals. */
    @Override
    public void complete() {
        write();
        if (completionReason().isEmpty()) {
            show(monotonicNs.getAsLong(), true);
        }
    }

    @Override
    public Optional<String> completionReason() {
        return options.tables() > 0 && shownTables >= options.tables()
                ? Optional.of(options.tables() + (options.tables() == 1 ? " table" : " tables") + " as asked for")
                : Optional.empty();
    }

    @Override
    public List<String> summary(CollectionOutcome outcome) {
        return List.of(String.format(
                Locale.ROOT,
                "counted %,d turns from %,d events in %.1f s, %s",
                turnCount,
                outcome.deliveredEvents(),
                outcome.duration().toNanos() / 1e9,
                outcome.lostEvents() == 0
                        ? "none lost"
                        : String.format(Locale.ROOT, "%,d LOST", outcome.lostEvents())));
    }

    @Override
    public long publishedBytes() {
        return printedBytes;
    }

    @Override
    public void close() {
        // The caller owns the output.
    }

    private LoopWriter writer() {
        return options.isJson() ? new LoopJson(times) : new LoopText(times, options.isTerminal());
    }

    private boolean isDone() {
        return completionReason().isPresent() || output.isClosed() || output.isStalled();
    }

    private void turn(LoopTurn turn) {
        turnCount++;
        if (options.slowNs().isPresent() && turn.busyNs() >= options.slowNs().getAsLong() && !isDone()) {
            writer.slow(turn, names.comm(turn.tid()), lines);
            if (lines.length() > 1 << 20) {
                write();
            }
        }
    }

    private void show(long nowNs, boolean isWhole) {
        LoopTable table = isWhole
                ? book.total(times.startNs(), nowNs, lost, names)
                : book.interval(intervalStartNs, nowNs, lostInInterval, names);
        writer.table(table, isWhole, lines);
        lostInInterval = 0;
        write();
    }

    private void write() {
        if (lines.length() > 0 && output.write(lines)) {
            printedBytes += lines.length();
        }
        lines.clear();
        if (isDone()) {
            stop.run();
        }
    }

    /**
     * The options of the output.
     *
     * @param intervalNs the interval between tables; unused with {@code slowNs}
     * @param tables the number of tables after which tracing ends; 0 = no limit
     * @param slowNs if present, prints each turn of at least this length, and one table at the end
     * @param isJson whether the output is JSON
     * @param isTerminal whether a table replaces the previous one
     */
    record Options(long intervalNs, int tables, OptionalLong slowNs, boolean isJson, boolean isTerminal) {}

    /** Formats loops as lines. */
    interface LoopWriter {
        /** Appends the header of slow turns. */
        void slowHeader(LineBuffer out);

        /** @param comm the name of its thread */
        void slow(LoopTurn turn, String comm, LineBuffer out);

        /** @param isWhole whether the table covers everything since the start */
        void table(LoopTable table, boolean isWhole, LineBuffer out);
    }
}
