package dev.probestream.bench.convert;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.ChildRuns;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Both converters over one large recording, against a pass that only reads it: the limit of anything that converts. */
public final class ConvertBenchmark implements Benchmark {
    private static final int LARGE_REQUESTS = 150_000;
    private static final int SMALL_REQUESTS = LARGE_REQUESTS / 10;
    private static final int JVMS = 3;
    private static final int TIMES_PER_JVM = 4;
    private static final String HEAP = "-Xmx256m";
    /** For the comparison of memory: with a larger heap, a JVM uses more than it needs. */
    private static final String SMALL_HEAP = "-Xmx32m";

    private static final double PERFETTO_MILLIONS = 1.5;
    private static final double CHROME_MILLIONS = 1.0;

    @Override
    public String name() {
        return "convert";
    }

    @Override
    public String about() {
        return "a recording of spans, system calls, switches and instants to Perfetto and Chrome, against reading it";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        ChildRuns reading = new ChildRuns();
        ChildRuns perfetto = new ChildRuns();
        ChildRuns chrome = new ChildRuns();
        ChildRuns manyInSmallHeap = new ChildRuns();
        ChildRuns fewInSmallHeap = new ChildRuns();
        try (Folder folder = Folder.create()) {
            Path large = folder.path().resolve("large.avro");
            Path small = folder.path().resolve("small.avro");
            Path pftrace = folder.path().resolve("trace.pftrace");
            Path json = folder.path().resolve("trace.json");
            long events = SyntheticRecording.write(large, LARGE_REQUESTS);
            SyntheticRecording.write(small, SMALL_REQUESTS);
            for (int jvm = 0; jvm < JVMS; jvm++) {
                reading.measure(ConvertChild.class, HEAP, large, ConvertChild.ONLY_READ, TIMES_PER_JVM);
                perfetto.measure(ConvertChild.class, HEAP, large, pftrace.toString(), TIMES_PER_JVM);
                chrome.measure(ConvertChild.class, HEAP, large, json.toString(), TIMES_PER_JVM);
            }
            table.note(String.format(
                    Locale.ROOT,
                    "%,d events: .avro %,d bytes, .pftrace %,d, .json %,d. %d JVMs with %s; CPU time of all threads of the"
                            + " JVM, compiling and collecting garbage included.",
                    events,
                    Files.size(large),
                    Files.size(pftrace),
                    Files.size(json),
                    JVMS,
                    HEAP));
            for (Path trace : List.of(pftrace, json)) {
                manyInSmallHeap.measure(ConvertChild.class, SMALL_HEAP, large, trace.toString(), 1);
                fewInSmallHeap.measure(ConvertChild.class, SMALL_HEAP, small, trace.toString(), 1);
            }
        }
        rows(table, "read only", reading, reading);
        rows(table, "to .pftrace", perfetto, reading);
        rows(table, "to .json", chrome, reading);
        Samples many = manyInSmallHeap.peakMegabytes();
        Samples few = fewInSmallHeap.peakMegabytes();
        table.measured("memory of a JVM with " + SMALL_HEAP + ", a tenth of the events", few, "MB");
        table.compared("the same, all events", many, "MB", many.median() / few.median(), "a tenth of the events");
        table.atLeast(".pftrace", 1000 / perfetto.later().median(), "M events/s per core", PERFETTO_MILLIONS);
        table.atLeast(".json", 1000 / chrome.later().median(), "M events/s per core", CHROME_MILLIONS);
    }

    private static void rows(ResultTable table, String what, ChildRuns runs, ChildRuns limit) {
        double limitNs = limit.later().median();
        table.compared(
                what + ", first time in a JVM",
                runs.first(),
                "ns/event",
                runs.first().median() / limitNs,
                "reading");
        table.compared(what + ", later", runs.later(), "ns/event", runs.later().median() / limitNs, "reading");
    }
}
