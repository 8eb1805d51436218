package dev.probestream.convert;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.assemble.TimelineAssembler;
import dev.probestream.convert.chrome.ChromeWriter;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.merge.MergedFiles;
import dev.probestream.convert.merge.track.MergeFormatException;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.convert.perfetto.PerfettoWriter;
import dev.probestream.convert.timeline.FirstPass;
import dev.probestream.convert.timeline.RecordingChangedException;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns recordings into a trace, or into tables.
 *
 * <p>Several recordings become one trace on one clock: those of the same machine share CLOCK_MONOTONIC; another
 * machine's times are moved by the difference of the wall clocks. The trace is written beside its final place and renamed
 * when it is whole, so that a failed conversion leaves neither half a file nor a changed one. A recording that is broken
 * somewhere is converted as far as it can be read; the outcome lists the damages. Memory does not grow with the number of
 * events: about 40 MB do.
 *
 * <p>Tables (see docs/tables.md for their columns) are files {@code TABLE/CAPTUREID.parquet} in a folder, replaced when
 * they are there, and come into their places together. Times stay those of each capture's own clocks.
 */
public final class Conversion {
    private final List<Path> inputs;
    private final List<Path> merged;
    private final Path output;
    private final ConversionProgress progress;

    private Conversion(List<Path> inputs, List<Path> merged, Path output, ConversionProgress progress) {
        this.inputs = inputs;
        this.merged = merged;
        this.output = output;
        this.progress = progress;
    }

    /**
     * Converts {@code inputs} into the trace {@code output}, whose suffix selects the format, or into tables in {@code
     * output}, when it is a folder that exists.
     *
     * @throws ConversionException if an input is not a recording or cannot be read at all, or the output cannot be written
     */
    public static ConversionOutcome run(List<Path> inputs, Path output, RecordingRange range)
            throws ConversionException {
        return run(inputs, output, range, ConversionProgress.NONE);
    }

    /** As above; {@code progress} is called every 65,536 events. */
    public static ConversionOutcome run(
            List<Path> inputs, Path output, RecordingRange range, ConversionProgress progress)
            throws ConversionException {
        return run(inputs, List.of(), output, range, progress);
    }

    /**
     * As above, with the events of {@code merged} in the trace: files in Chrome's JSON or Perfetto's protobuf of the same
     * machine and boot, for example those that Node wrote itself. Tables take none.
     *
     * @throws ConversionException also if one of {@code merged} is not a trace or is damaged
     */
    public static ConversionOutcome run(
            List<Path> inputs, List<Path> merged, Path output, RecordingRange range, ConversionProgress progress)
            throws ConversionException {
        TraceFormat.check(output);
        if (!merged.isEmpty() && TraceFormat.of(output) == TraceFormat.PARQUET) {
            throw new ConversionException(
                    "cannot merge " + names(merged)
                            + " into tables: they hold recordings only; name a .pftrace or .json",
                    null);
        }
        if (inputs.isEmpty()) {
            throw new ConversionException("cannot write " + output + ": no recording was given to convert", null);
        }
        try {
            return new Conversion(List.copyOf(inputs), List.copyOf(merged), output, progress).run(range);
        } catch (ConversionException e) {
            throw e;
        } catch (RecordingException e) {
            throw new ConversionException(String.valueOf(e.getMessage()), e); // names the file
        } catch (MergeFormatException e) {
            throw new ConversionException(String.valueOf(e.getMessage()), e); // names the file
        } catch (RecordingChangedException e) {
            throw new ConversionException(
                    "cannot convert " + names(inputs) + ": " + e.getMessage()
                            + "; it is still being recorded: convert it when the recording has ended",
                    e);
        } catch (FileSystemException e) {
            throw CheckedOutput.failed(Path.of(e.getFile()), e);
        } catch (IOException e) {
            throw new ConversionException("cannot convert " + names(inputs) + ": " + e.getMessage(), e);
        }
    }

    private ConversionOutcome run(RecordingRange range) throws IOException {
        TraceFormat format = TraceFormat.of(output);
        return format == TraceFormat.PARQUET ? tables(range) : trace(range, format);
    }

    private ConversionOutcome tables(RecordingRange range) throws IOException {
        Window window = window(range);
        try (ParquetTables tables = ParquetTables.all(output, window)) {
            TableConversion.Outcome written = TableConversion.write(tables, parts(window, false), progress);
            return new ConversionOutcome(
                    output,
                    written.sizeBytes(),
                    written.events(),
                    written.inputs(),
                    ConversionWarnings.ofTables(written.inputs(), window, tables.captures(), written.events()));
        }
    }

    private ConversionOutcome trace(RecordingRange range, TraceFormat format) throws IOException {
        Window window = window(range);
        FirstPass firstPass = new FirstPass(window);
        List<RecordingPart> parts = parts(window, true);
        read(parts, firstPass, 1);
        Timeline timeline = firstPass.timeline();
        MergedFiles mergedFiles = MergedFiles.firstPass(merged, timeline, window);
        try (TraceFile file = TraceFile.create(output, format)) {
            TraceOutput trace = traceOutput(format, timeline, file.out());
            TimelineAssembler assembler = new TimelineAssembler(timeline, trace.writer());
            List<ReadOutcome> outcomes = read(parts, assembler, 2);
            // Before the writer is finished, and so before the last events of the recordings.
            trace.merge().add(mergedFiles);
            EventCounts events = assembler.finish();
            long sizeBytes = file.complete();
            List<String> warnings =
                    new ArrayList<>(ConversionWarnings.of(outcomes, timeline, events, format, sizeBytes));
            warnings.addAll(mergedFiles.warnings(format != TraceFormat.PERFETTO));
            return new ConversionOutcome(output, sizeBytes, events, outcomes, warnings);
        }
    }

    private List<RecordingPart> parts(Window window, boolean isOneClock) throws IOException {
        return RecordingPart.of(inputs, window, isOneClock, RecordingPart.MIN_CUT_BYTES);
    }

    private List<ReadOutcome> read(List<RecordingPart> parts, RecordingHandler handler, int pass) throws IOException {
        ProgressHandler reporting = new ProgressHandler(handler, progress, pass);
        List<ReadOutcome> outcomes = new ArrayList<>();
        for (RecordingPart part : parts) {
            outcomes.add(part.read(reporting));
        }
        return outcomes;
    }

    private Window window(RecordingRange range) throws IOException {
        boolean isRelative = isRelative(range.from()) || isRelative(range.to());
        long startNs = isRelative ? RecordingStart.of(inputs.get(0)).monotonicNs() : 0;
        return new Window(
                range.from().map(bound -> monotonicNs(bound, startNs)).orElse(Long.MIN_VALUE),
                range.to().map(bound -> monotonicNs(bound, startNs)).orElse(Long.MAX_VALUE),
                range.pids());
    }

    private static boolean isRelative(Optional<RecordingRange.Bound> bound) {
        return bound.isPresent() && bound.get().origin() == RecordingRange.Origin.CAPTURE_START;
    }

    private static long monotonicNs(RecordingRange.Bound bound, long startNs) {
        return switch (bound.origin()) {
            case CAPTURE_START -> startNs + bound.ns();
            case MONOTONIC -> bound.ns();
        };
    }

    private TraceOutput traceOutput(TraceFormat format, Timeline timeline, OutputStream out) {
        return switch (format) {
            case PERFETTO -> {
                PerfettoWriter writer = new PerfettoWriter(timeline, out);
                yield new TraceOutput(writer, files -> files.writeTo(writer));
            }
            case CHROME, CHROME_GZIP -> {
                ChromeWriter writer = new ChromeWriter(timeline, out, !merged.isEmpty());
                yield new TraceOutput(writer, files -> files.writeTo(writer));
            }
            case PARQUET -> throw new IllegalArgumentException("a folder of tables has no trace writer");
        };
    }

    private static String names(List<Path> inputs) {
        return inputs.size() == 1 ? inputs.get(0).toString() : inputs.get(0) + " and " + (inputs.size() - 1) + " more";
    }

    /** A writer of a format, and how merged files get into what it writes. */
    private record TraceOutput(TraceWriter writer, MergeStep merge) {}

    private interface MergeStep {
        void add(MergedFiles files) throws IOException;
    }
}
