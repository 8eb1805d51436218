package dev.probestream.bench.convert;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.ChildRuns;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A large recording to Parquet tables, against a pass that only reads it, and against DuckDB, which is handed the same
 * events row by row through its appender and writes the same columns as Parquet with the same codec.
 */
public final class ParquetBenchmark implements Benchmark {
    private static final int LARGE_REQUESTS = 150_000;
    private static final int SMALL_REQUESTS = LARGE_REQUESTS / 10;
    private static final int JVMS = 3;
    private static final int TIMES_PER_JVM = 4;
    private static final int DUCKDB_TIMES = 2;
    private static final String HEAP = "-Xmx256m";
    private static final String SMALL_HEAP = "-Xmx96m";

    private static final double MILLIONS = 0.8;

    @Override
    public String name() {
        return "parquet";
    }

    @Override
    public String about() {
        return "a recording of spans, system calls, switches and instants to Parquet, against reading it and DuckDB";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        ChildRuns reading = new ChildRuns();
        ChildRuns parquet = new ChildRuns();
        ChildRuns duckDb = new ChildRuns();
        ChildRuns manyInSmallHeap = new ChildRuns();
        ChildRuns fewInSmallHeap = new ChildRuns();
        try (Folder folder = Folder.create()) {
            Path large = folder.path().resolve("large.avro");
            Path small = folder.path().resolve("small.avro");
            Path ours = Files.createDirectory(folder.path().resolve("ours"));
            Path theirs = Files.createDirectory(folder.path().resolve("theirs"));
            long events = SyntheticRecording.write(large, LARGE_REQUESTS);
            SyntheticRecording.write(small, SMALL_REQUESTS);
            for (int jvm = 0; jvm < JVMS; jvm++) {
                reading.measure(ConvertChild.class, HEAP, large, ConvertChild.ONLY_READ, TIMES_PER_JVM);
                parquet.measure(ConvertChild.class, HEAP, large, ours.toString(), TIMES_PER_JVM);
                duckDb.measure(DuckDbChild.class, HEAP, large, theirs.toString(), DUCKDB_TIMES);
            }
            table.note(String.format(
                    Locale.ROOT,
                    "%,d events. Bytes per event: .avro %.1f, Parquet %.1f, DuckDB's Parquet %.1f. %d JVMs with %s; CPU time"
                            + " of all threads of the JVM, compiling and collecting garbage included.",
                    events,
                    (double) Files.size(large) / events,
                    (double) sizeBytes(ours) / events,
                    (double) sizeBytes(theirs) / events,
                    JVMS,
                    HEAP));
            manyInSmallHeap.measure(ConvertChild.class, SMALL_HEAP, large, ours.toString(), 1);
            fewInSmallHeap.measure(ConvertChild.class, SMALL_HEAP, small, ours.toString(), 1);
        }
        double readingNs = reading.later().median();
        table.measured("read only, later", reading.later(), "ns/event");
        double firstNs = parquet.first().median();
        double laterNs = parquet.later().median();
        table.compared("to Parquet, first time in a JVM", parquet.first(), "ns/event", firstNs / readingNs, "reading");
        table.compared("to Parquet, later", parquet.later(), "ns/event", laterNs / readingNs, "reading");
        double duckDbNs = duckDb.later().median();
        table.compared("DuckDB, appender and COPY, later", duckDb.later(), "ns/event", duckDbNs / laterNs, "ours");
        Samples many = manyInSmallHeap.peakMegabytes();
        Samples few = fewInSmallHeap.peakMegabytes();
        table.measured("memory of a JVM with " + SMALL_HEAP + ", a tenth of the events", few, "MB");
        table.compared("the same, all events", many, "MB", many.median() / few.median(), "a tenth of the events");
        table.atLeast("Parquet", 1000 / laterNs, "M events/s per core", MILLIONS);
    }

    private static long sizeBytes(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(ParquetBenchmark::fileBytes)
                    .sum();
        }
    }

    private static long fileBytes(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException("size of " + file, e);
        }
    }
}
