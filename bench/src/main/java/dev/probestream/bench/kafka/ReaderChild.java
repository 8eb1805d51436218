package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.WorkTime;
import dev.probestream.convert.Conversion;
import dev.probestream.convert.RecordingRange;
import dev.probestream.sink.Sink;
import dev.probestream.sink.SinkListener;
import dev.probestream.sink.SinkOutcome;
import dev.probestream.sink.SinkRequest;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A JVM that reads all events in one way. Its arguments: which, the broker's address, a recording of the same events.
 * For each line of its input, a folder for the files, it answers with a {@link WorkTime}.
 */
final class ReaderChild {
    /** The ways. */
    enum Way {
        /** Kafka's consumer, which only counts: the limit. */
        CONSUMER("KafkaConsumer, counting only"),
        SINK_PERFETTO("sink perfetto"),
        CONVERT_PERFETTO("convert .avro to .pftrace"),
        SINK_CHROME("sink chrome"),
        CONVERT_CHROME("convert .avro to .json"),
        SINK_PARQUET("sink parquet"),
        CONVERT_PARQUET("convert .avro to Parquet");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private final Map<String, String> kafka;
    private final Path recording;

    private ReaderChild(String address, Path recording) {
        this.kafka = Map.of("bootstrap.servers", address);
        this.recording = recording;
    }

    public static void main(String[] arguments) throws Exception {
        Way way = Way.valueOf(arguments[0]);
        ReaderChild child = new ReaderChild(arguments[1], Path.of(arguments[2]));
        ChildJvm.Work.serve(folder -> {
            long startCpuNs = CpuClock.processNs();
            long startNs = System.nanoTime();
            long events = child.read(way, Path.of(folder));
            return new WorkTime(events, CpuClock.processNs() - startCpuNs, System.nanoTime() - startNs);
        });
    }

    private long read(Way way, Path folder) throws Exception {
        return switch (way) {
            case CONSUMER -> CountingConsumer.count(kafka);
            case SINK_PERFETTO -> sink(SinkFormat.PERFETTO, folder);
            case SINK_CHROME -> sink(SinkFormat.CHROME, folder);
            case SINK_PARQUET -> sink(SinkFormat.PARQUET, folder);
            case CONVERT_PERFETTO -> convert(folder.resolve("trace.pftrace"));
            case CONVERT_CHROME -> convert(folder.resolve("trace.json"));
            case CONVERT_PARQUET -> convert(Files.createDirectory(folder.resolve("tables")));
        };
    }

    private long sink(SinkFormat format, Path folder) throws Exception {
        SinkRequest request = SinkRequest.catchUp(format, folder, kafka, Rolling.DEFAULT);
        try (Sink sink = Sink.open(request, SinkListener.NONE)) {
            SinkOutcome outcome = sink.run(() -> false);
            if (outcome.eventsFinished() != outcome.eventsRead() || outcome.missing() != 0) {
                throw new IOException("the sink left something out: " + outcome);
            }
            return outcome.eventsFinished();
        }
    }

    private long convert(Path output) throws IOException {
        return Conversion.run(List.of(recording), output, RecordingRange.ALL)
                .inputs()
                .get(0)
                .events();
    }
}
