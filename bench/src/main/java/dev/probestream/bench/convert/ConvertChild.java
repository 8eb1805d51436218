package dev.probestream.bench.convert;

import dev.probestream.bench.measure.ChildRuns;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.convert.Conversion;
import dev.probestream.convert.RecordingRange;
import dev.probestream.schema.EventView;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A JVM that converts one recording again and again, or only reads it. Its arguments: the recording, the trace or
 * the folder of tables (or {@value #ONLY_READ}), how often. For each time it prints the events and the CPU nanoseconds of all its threads, and at
 * the end the most memory it had (VmHWM of proc(5), bytes).
 */
final class ConvertChild {
    static final String ONLY_READ = "-";

    private ConvertChild() {}

    public static void main(String[] arguments) throws IOException {
        Path recording = Path.of(arguments[0]);
        int times = Integer.parseInt(arguments[2]);
        for (int i = 0; i < times; i++) {
            long startNs = CpuClock.processNs();
            long events = arguments[1].equals(ONLY_READ)
                    ? read(recording)
                    : Conversion.run(List.of(recording), Path.of(arguments[1]), RecordingRange.ALL)
                            .inputs()
                            .get(0)
                            .events();
            System.out.println(events + " " + (CpuClock.processNs() - startNs));
        }
        System.out.println(ChildRuns.peakMemoryBytes());
    }

    private static long read(Path recording) throws IOException {
        Reader reader = new Reader();
        long events = RecordingReader.read(recording, reader).events();
        if (reader.sumNs == 0) {
            throw new IOException("recording " + recording + " has no durations");
        }
        return events;
    }

    private static final class Reader implements RecordingHandler {
        private long sumNs;

        @Override
        public void event(EventView event) {
            sumNs += event.durationNs();
        }
    }
}
