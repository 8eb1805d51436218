package dev.probestream.convert;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.convert.parquet.ParquetTables;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Turns recordings into Parquet tables in a folder that grows: the events of a segment as new files, and the tables of
 * everything else of a capture anew each time. {@link Conversion} writes all tables at once.
 *
 * <p>Every recording that is given is read once, and once more when there can be HTTP requests in them, in the order given; a capture and its probes must come before its
 * events. Files appear in their places when all of them are whole and on the disk; if one cannot be written none does. (A
 * process that is killed may leave hidden files {@code .NAME.PID.part} beside them, which readers ignore, and, killed
 * between two renames, some of the new files without the others.)
 */
final class TableConversion {
    private TableConversion() {}

    /**
     * Adds the events of {@code recordings} to {@code folder} as files {@code events/day=YYYY-MM-DD/hour=H/NAME.parquet} and
     * {@code spans/...}, {@code requests/...} and {@code request_events/...}, by the UTC hour in which an event or a request
     * starts; a file of that name is replaced. When the events jump
     * between many hours there may be further files {@code NAME.2.parquet} and so on. There is no file where there is no
     * event.
     *
     * @param recordings the capture's metadata first, then its events
     * @param name of the segment, unique across captures
     * @param footer further key-value pairs for the files' footers
     * @throws ConversionException if an input cannot be read at all, or a file cannot be written
     */
    public static Outcome addEvents(
            List<Path> recordings, Path folder, String name, Map<String, String> footer, ConversionProgress progress)
            throws ConversionException {
        return write(ParquetTables.events(folder, name, footer), recordings, folder, progress);
    }

    /**
     * Writes {@code TABLE/CAPTUREID.parquet} for all tables but those of the events and requests, over those that are there,
     * for each capture that {@code recordings} name. Events among the records are passed over.
     *
     * @param footer further key-value pairs for the files' footers
     * @throws ConversionException if an input cannot be read at all, or a file cannot be written
     */
    public static Outcome replaceMetadata(
            List<Path> recordings, Path folder, Map<String, String> footer, ConversionProgress progress)
            throws ConversionException {
        return write(ParquetTables.metadata(folder, footer), recordings, folder, progress);
    }

    private static Outcome write(ParquetTables open, List<Path> recordings, Path folder, ConversionProgress progress)
            throws ConversionException {
        try (ParquetTables tables = open) {
            return write(tables, recordings.stream().map(RecordingPart::whole).toList(), progress);
        } catch (ConversionException e) {
            throw e;
        } catch (RecordingException e) {
            throw new ConversionException(String.valueOf(e.getMessage()), e); // names the file
        } catch (FileSystemException e) {
            throw CheckedOutput.failed(Path.of(e.getFile()), e);
        } catch (IOException e) {
            throw new ConversionException("cannot write tables to " + folder + ": " + e.getMessage(), e);
        }
    }

    static Outcome write(ParquetTables tables, List<RecordingPart> recordings, ConversionProgress progress)
            throws IOException {
        ProgressHandler reporting = new ProgressHandler(tables, progress, ConversionProgress.ONLY_PASS);
        List<ReadOutcome> inputs = new ArrayList<>();
        for (RecordingPart recording : recordings) {
            inputs.add(recording.read(reporting));
        }
        if (tables.needSecondReading()) {
            ProgressHandler again =
                    new ProgressHandler(tables.secondReading(), progress, ConversionProgress.REQUESTS_PASS);
            for (RecordingPart recording : recordings) {
                recording.read(again);
            }
        }
        List<Path> files = tables.complete();
        long sizeBytes = 0;
        for (Path file : files) {
            sizeBytes += Files.size(file);
        }
        return new Outcome(files, sizeBytes, tables.counts(), inputs);
    }

    /**
     * Which files of tables were written, and from what.
     *
     * @param files in their places; empty when there was nothing to write
     * @param sizeBytes of all of them
     * @param events what became of every event
     * @param inputs what could be read of each input, in the order given
     */
    public record Outcome(List<Path> files, long sizeBytes, EventCounts events, List<ReadOutcome> inputs) {
        public Outcome {
            files = List.copyOf(files);
            inputs = List.copyOf(inputs);
        }
    }
}
