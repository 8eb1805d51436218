package dev.probestream.convert.parquet;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.parquet.row.EventRows;
import dev.probestream.convert.parquet.row.ParquetTable;
import dev.probestream.convert.parquet.row.ProbeColumns;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records of recordings as Parquet tables.
 *
 * <p>Every event is a row of either {@code events} or {@code spans}. Recordings are read once, and once more when there
 * can be HTTP requests in them ({@link #needSecondReading}). All files are written beside their places and put
 * there by {@link #complete}; before it nothing that was there is touched, and {@link #close} without it leaves nothing.
 * Memory does not grow with the number of events: a few row groups of the large tables, and the
 * metadata of the captures but for the frames of their stacks.
 */
public final class ParquetTables implements RecordingHandler, AutoCloseable {
    /** Which tables are written. */
    private enum Scope {
        ALL,
        EVENTS,
        METADATA
    }

    /**
     * What could be learned of a capture.
     *
     * @param isDescribed whether there was a Capture record
     * @param endNs when it ended, on CLOCK_MONOTONIC; empty without a CaptureEnd record
     */
    public record CaptureNote(long captureId, String host, boolean isDescribed, OptionalLong endNs) {}

    private final Scope scope;
    private final Layout layout;
    private final Window window;
    private final Map<String, String> footer;
    private final TableFiles files = new TableFiles();
    private final HourFiles<EventRows.EventRow> events;
    private final HourFiles<EventRows.EventRow> spans;
    private final RequestTables requests;
    private final LongMap<CaptureTables> captures = new LongMap<>();
    private final List<CaptureTables> capturesInOrder = new ArrayList<>();
    private final EventRows.EventRow row = new EventRows.EventRow();
    private @Nullable Capture first;
    private @Nullable CaptureTables last;

    private long read;
    private long written;
    private long keptWhole;
    private long incomplete;
    private long ofUnknownProbe;
    private long lost;

    private ParquetTables(Scope scope, Layout layout, Window window, Map<String, String> footer) {
        this.scope = scope;
        this.layout = layout;
        this.window = window;
        this.footer = Map.copyOf(footer);
        this.events = new HourFiles<>(ParquetTable.EVENTS, EventRows.of(ParquetTable.EVENTS), layout, files);
        this.spans = new HourFiles<>(ParquetTable.SPANS, EventRows.of(ParquetTable.SPANS), layout, files);
        this.requests = new RequestTables(scope == Scope.EVENTS, layout, window, files);
    }

    /** All tables of what lies in {@code window}, each in {@code folder/TABLE/CAPTUREID.parquet}; older ones are replaced. */
    public static ParquetTables all(Path folder, Window window) {
        return new ParquetTables(Scope.ALL, new Layout(folder, null), window, Map.of());
    }

    /**
     * Only {@code events}, {@code spans}, {@code requests} and {@code request_events} of a part of a capture, as new files {@code folder/TABLE/day=YYYY-MM-DD/hour=H/NAME.parquet} by the UTC
     * hour in which an event or a request starts ({@code __HIVE_DEFAULT_PARTITION__} without a Capture record). When events jump
     * between many hours there may be further files {@code NAME.2.parquet} and so on.
     *
     * @param footer metadata for the files' footers beside the capture and its sequences
     */
    public static ParquetTables events(Path folder, String name, Map<String, String> footer) {
        return new ParquetTables(Scope.EVENTS, new Layout(folder, name), Window.ALL, footer);
    }

    /** All tables but those, each in {@code folder/TABLE/CAPTUREID.parquet}; older ones are replaced. */
    public static ParquetTables metadata(Path folder, Map<String, String> footer) {
        return new ParquetTables(Scope.METADATA, new Layout(folder, null), Window.ALL, footer);
    }

    /** @throws FileSystemException as of all methods: names the file, and the error of the system */
    @Override
    public void event(EventView event) throws IOException {
        if (scope == Scope.METADATA) {
            return;
        }
        read++;
        CaptureTables capture = last;
        if (capture == null || capture.captureId() != event.captureId()) {
            capture = ofCapture(event.captureId());
            last = capture;
        }
        requests.event(event);
        if (!capture.extent().isSelected(event)) {
            return;
        }
        ProbeColumns probe = capture.columns(event.probeId());
        row.set(event, probe, capture.clock(), capture.host());
        HourFiles<EventRows.EventRow> table = EventRows.tableOf(event.kind()) == ParquetTable.SPANS ? spans : events;
        table.write(row, capture, event.timestampNs(), event.sequence());
        count(capture, event, probe);
    }

    private void count(CaptureTables capture, EventView event, ProbeColumns probe) {
        written++;
        keptWhole += capture.extent().isCut() ? 1 : 0;
        incomplete += capture.extent().isOpen() ? 1 : 0;
        ofUnknownProbe += probe.isDescribed() ? 0 : 1;
        if (scope == Scope.ALL) {
            capture.noteStack(event.stackId());
        }
    }

    @Override
    public void capture(Capture capture) throws IOException {
        requests.first().capture(capture);
        if (first == null) {
            first = capture;
        }
        ofCapture(capture.getCaptureId()).add(capture, first);
    }

    @Override
    public void probe(Probe probe) throws IOException {
        requests.first().probe(probe);
        ofCapture(probe.getCaptureId()).add(probe);
    }

    @Override
    public void process(Process process) {
        ofCapture(process.getCaptureId()).add(process);
    }

    @Override
    public void thread(Thread thread) {
        ofCapture(thread.getCaptureId()).add(thread);
    }

    @Override
    public void stack(Stack stack) throws IOException {
        requests.first().stack(stack);
        if (scope != Scope.EVENTS) {
            ofCapture(stack.getCaptureId()).add(stack, layout, files);
        }
    }

    @Override
    public void loss(Loss loss) throws IOException {
        requests.first().loss(loss);
        if (scope != Scope.EVENTS) {
            lost += ofCapture(loss.getCaptureId()).add(loss, layout, files);
        }
    }

    @Override
    public void hitSummary(HitSummary summary) throws FileSystemException {
        if (scope != Scope.EVENTS) {
            ofCapture(summary.getCaptureId()).add(summary, layout, files);
        }
    }

    @Override
    public void gap(Gap gap) throws IOException {
        requests.first().gap(gap);
        if (scope != Scope.EVENTS) {
            ofCapture(gap.getCaptureId()).add(gap, layout, files);
        }
    }

    @Override
    public void cost(Cost cost) throws FileSystemException {
        if (scope != Scope.EVENTS) {
            ofCapture(cost.getCaptureId()).add(cost, layout, files);
        }
    }

    @Override
    public void captureEnd(CaptureEnd captureEnd) throws IOException {
        requests.first().captureEnd(captureEnd);
        ofCapture(captureEnd.getCaptureId()).add(captureEnd);
    }

    private CaptureTables ofCapture(long captureId) {
        CaptureTables known = captures.get(captureId);
        if (known == null) {
            known = new CaptureTables(captureId, window, footer);
            captures.put(captureId, known);
            capturesInOrder.add(known);
        }
        return known;
    }

    /**
     * Whether there can be requests in what was read: then it is to be read once more, in the same order, into {@link
     * #secondReading}, before {@link #complete}.
     */
    public boolean needSecondReading() {
        return scope != Scope.METADATA && requests.needSecondReading();
    }

    /** Everything was read: what takes all of it once more. To be called once. */
    public RecordingHandler secondReading() throws IOException {
        events.finish();
        spans.finish();
        return requests.second(captures);
    }

    /** Everything was read: moves the files to their places and returns them. To be called once. */
    public List<Path> complete() throws IOException {
        requests.finish();
        for (CaptureTables capture : capturesInOrder) {
            if (scope == Scope.ALL) {
                events.ensure(capture);
                spans.ensure(capture);
                requests.ensure(capture);
            }
            if (scope != Scope.EVENTS) {
                capture.writeRest(layout, files);
            }
        }
        List<Path> places = files.putInPlace();
        if (scope == Scope.ALL) {
            for (CaptureTables capture : capturesInOrder) {
                events.deleteOlderParts(capture);
                spans.deleteOlderParts(capture);
                requests.deleteOlderParts(capture);
            }
        }
        return places;
    }

    /** What became of the events so far. */
    public EventCounts counts() {
        long withUnknownStack = scope == Scope.ALL
                ? capturesInOrder.stream()
                        .mapToLong(CaptureTables::eventsWithUnknownStack)
                        .sum()
                : 0;
        return new EventCounts(
                read, written, read - written, 0, keptWhole, incomplete, 0, ofUnknownProbe, withUnknownStack, lost);
    }

    /** How many rows a finished file has, by its footer. */
    public static long rowCount(Path file) throws IOException {
        return RowCount.of(file);
    }

    /** What was learned of the captures so far, in the order in which they were met. */
    public List<CaptureNote> captures() {
        return capturesInOrder.stream().map(CaptureTables::note).toList();
    }

    /** Without {@link #complete}: leaves nothing. */
    @Override
    public void close() throws FileSystemException {
        files.close();
    }
}
