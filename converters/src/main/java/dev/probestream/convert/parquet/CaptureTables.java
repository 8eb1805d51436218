package dev.probestream.convert.parquet;

import dev.probestream.convert.intake.EventExtent;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.parquet.row.CaptureRows;
import dev.probestream.convert.parquet.row.CostRows;
import dev.probestream.convert.parquet.row.GapRows;
import dev.probestream.convert.parquet.row.HitSummaryRows;
import dev.probestream.convert.parquet.row.LossRows;
import dev.probestream.convert.parquet.row.ParquetTable;
import dev.probestream.convert.parquet.row.ProbeColumns;
import dev.probestream.convert.parquet.row.ProbeRows;
import dev.probestream.convert.parquet.row.ProcessRows;
import dev.probestream.convert.parquet.row.RowShape;
import dev.probestream.convert.parquet.row.StackRows;
import dev.probestream.convert.parquet.row.ThreadRows;
import dev.probestream.convert.parquet.row.WallClock;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.format.FormatStamp;
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
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** What is known of one capture, and its tables of everything but the events. */
final class CaptureTables {
    private final long captureId;
    private final Map<String, String> extraFooter;
    private final Window window;

    private @Nullable Capture capture;
    private @Nullable CaptureEnd end;
    private WallClock clock = WallClock.UNKNOWN;
    private @Nullable Binary host;
    private long clockShiftNs;
    private EventExtent extent;

    private final Map<Integer, Probe> probes = new TreeMap<>();
    private final LongMap<ProbeColumns> columnsByProbe = new LongMap<>();
    private final LatestRecords<Process> processes = new LatestRecords<>();
    private final LatestRecords<Thread> threads = new LatestRecords<>();
    private final LongMap<StackUse> stacks = new LongMap<>();
    private final List<StackUse> stacksInOrder = new ArrayList<>();
    private @Nullable TableFile<StackRows.FrameOfStack> stackFile;
    private @Nullable TableFile<LossRows.NamedLoss> lossFile;
    private @Nullable TableFile<HitSummaryRows.NamedSummary> summaryFile;
    private @Nullable TableFile<GapRows.NamedGap> gapFile;
    private @Nullable TableFile<CostRows.DatedCost> costFile;

    /** How many events name a stack, and whether it is there. */
    private static final class StackUse {
        private long events;
        private boolean isThere;
    }

    CaptureTables(long captureId, Window window, Map<String, String> extraFooter) {
        this.captureId = captureId;
        this.window = window;
        this.extraFooter = extraFooter;
        this.extent = new EventExtent(window, 0);
    }

    /** The first record counts; {@code first} is the first capture of all, on whose clock the window is. */
    void add(Capture record, Capture first) {
        if (capture == null) {
            capture = record;
            clock = WallClock.of(record);
            host = Binary.fromString(record.getHost());
            clockShiftNs = EventExtent.clockShiftNs(record, first);
            extent = new EventExtent(window, clockShiftNs);
        }
    }

    void add(Probe probe) {
        probes.put(probe.getProbeId(), probe);
        columnsByProbe.put(probe.getProbeId(), ProbeColumns.of(probe));
    }

    void add(Process process) {
        if (window.hasProcess(process.getPid())) {
            processes.put(process.getPid(), process.getStartNs(), process.getEndNs(), process);
        }
    }

    void add(Thread thread) {
        if (window.hasProcess(thread.getPid())) {
            long id = (long) thread.getPid() << Integer.SIZE | Integer.toUnsignedLong(thread.getTid());
            threads.put(id, thread.getStartNs(), thread.getEndNs(), thread);
        }
    }

    void add(CaptureEnd record) {
        end = record;
    }

    /** Stacks are many: they go to their file at once, each once. */
    void add(Stack stack, Layout layout, TableFiles files) throws FileSystemException {
        StackUse use = use(stack.getStackId());
        if (use.isThere) {
            return;
        }
        use.isThere = true;
        TableFile<StackRows.FrameOfStack> file = stackFile(layout, files);
        for (int depth = 0; depth < stack.getFrames().size(); depth++) {
            file.write(new StackRows.FrameOfStack(
                    captureId, stack.getStackId(), depth, stack.getFrames().get(depth)));
        }
    }

    /** @return how many hits were lost, inside the window */
    long add(Loss loss, Layout layout, TableFiles files) throws FileSystemException {
        if (!isSelected(loss.getFromNs(), loss.getToNs())) {
            return 0;
        }
        lossFile(layout, files)
                .write(new LossRows.NamedLoss(loss, columns(loss.getProbeId()).name(), clock));
        return loss.getCount();
    }

    /** Summaries are many: they go to their file at once. */
    void add(HitSummary summary, Layout layout, TableFiles files) throws FileSystemException {
        if (window.hasProcess(summary.getPid()) && isSelected(summary.getFromNs(), summary.getToNs())) {
            ProbeColumns probe = columns(summary.getProbeId());
            summaryFile(layout, files)
                    .write(new HitSummaryRows.NamedSummary(summary, probe.name(), probe.category(), clock));
        }
    }

    void add(Gap gap, Layout layout, TableFiles files) throws FileSystemException {
        if (isSelected(gap.getFromNs(), gap.getToNs())) {
            Binary probe =
                    gap.getProbeId() == 0 ? null : columns(gap.getProbeId()).name();
            gapFile(layout, files).write(new GapRows.NamedGap(gap, probe, clock));
        }
    }

    void add(Cost cost, Layout layout, TableFiles files) throws FileSystemException {
        if (isSelected(cost.getFromNs(), cost.getToNs())) {
            costFile(layout, files).write(new CostRows.DatedCost(cost, clock));
        }
    }

    private boolean isSelected(long fromNs, long toNs) {
        return window.overlaps(fromNs + clockShiftNs, toNs + clockShiftNs);
    }

    void noteStack(long stackId) {
        if (stackId != 0) {
            use(stackId).events++;
        }
    }

    private StackUse use(long stackId) {
        StackUse use = stacks.get(stackId);
        if (use == null) {
            use = new StackUse();
            stacks.put(stackId, use);
            stacksInOrder.add(use);
        }
        return use;
    }

    /** Writes the tables that could not be written on the way. */
    void writeRest(Layout layout, TableFiles files) throws FileSystemException {
        write(ParquetTable.CAPTURES, new CaptureRows(), List.of(whole()), layout, files);
        write(ParquetTable.PROBES, new ProbeRows(), List.copyOf(probes.values()), layout, files);
        write(ParquetTable.PROCESSES, new ProcessRows(clock), processes.all(), layout, files);
        write(ParquetTable.THREADS, new ThreadRows(clock), threads.all(), layout, files);
        stackFile(layout, files);
        lossFile(layout, files);
        summaryFile(layout, files);
        gapFile(layout, files);
        costFile(layout, files);
    }

    private <T> void write(ParquetTable table, RowShape<T> shape, List<T> rows, Layout layout, TableFiles files)
            throws FileSystemException {
        files.write(layout.metadata(table, captureId), shape, rows, this::footer);
    }

    private TableFile<StackRows.FrameOfStack> stackFile(Layout layout, TableFiles files) throws FileSystemException {
        stackFile = opened(stackFile, ParquetTable.STACKS, new StackRows(), layout, files);
        return stackFile;
    }

    private TableFile<LossRows.NamedLoss> lossFile(Layout layout, TableFiles files) throws FileSystemException {
        lossFile = opened(lossFile, ParquetTable.LOSSES, new LossRows(), layout, files);
        return lossFile;
    }

    private TableFile<HitSummaryRows.NamedSummary> summaryFile(Layout layout, TableFiles files)
            throws FileSystemException {
        summaryFile = opened(summaryFile, ParquetTable.HIT_SUMMARIES, new HitSummaryRows(), layout, files);
        return summaryFile;
    }

    private TableFile<GapRows.NamedGap> gapFile(Layout layout, TableFiles files) throws FileSystemException {
        gapFile = opened(gapFile, ParquetTable.GAPS, new GapRows(), layout, files);
        return gapFile;
    }

    private TableFile<CostRows.DatedCost> costFile(Layout layout, TableFiles files) throws FileSystemException {
        costFile = opened(costFile, ParquetTable.COSTS, new CostRows(), layout, files);
        return costFile;
    }

    private <T> TableFile<T> opened(
            @Nullable TableFile<T> file, ParquetTable table, RowShape<T> shape, Layout layout, TableFiles files)
            throws FileSystemException {
        return file == null ? files.create(layout.metadata(table, captureId), shape, this::footer) : file;
    }

    private CaptureRows.WholeCapture whole() {
        return new CaptureRows.WholeCapture(captureId, capture, end);
    }

    Map<String, String> footer() {
        Map<String, String> footer = new TreeMap<>(extraFooter);
        footer.putAll(FormatStamp.OWN.entries());
        footer.put(HourFiles.Footer.CAPTURE, Long.toString(captureId));
        if (capture != null) {
            footer.put(HourFiles.Footer.TOOL_VERSION, capture.getToolVersion());
        }
        return footer;
    }

    long captureId() {
        return captureId;
    }

    WallClock clock() {
        return clock;
    }

    /** Null without a Capture record so far. */
    @Nullable
    Binary host() {
        return host;
    }

    /** What the window makes of the capture's events. */
    EventExtent extent() {
        return extent;
    }

    ProbeColumns columns(int probeId) {
        ProbeColumns columns = columnsByProbe.get(probeId);
        if (columns == null) {
            columns = ProbeColumns.unknown();
            columnsByProbe.put(probeId, columns);
        }
        return columns;
    }

    /** How many of the events noted name a stack that is not there. */
    long eventsWithUnknownStack() {
        return stacksInOrder.stream()
                .filter(use -> !use.isThere)
                .mapToLong(use -> use.events)
                .sum();
    }

    ParquetTables.CaptureNote note() {
        return new ParquetTables.CaptureNote(
                captureId,
                capture == null ? "unknown host" : capture.getHost(),
                capture != null,
                end == null ? OptionalLong.empty() : OptionalLong.of(end.getMonotonicNs()));
    }
}
