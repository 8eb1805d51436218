package dev.probestream.bench.kafka;

import dev.probestream.bench.convert.SyntheticRecording;
import dev.probestream.bench.kafka.ReaderChild.Way;
import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.measure.WorkTime;
import dev.probestream.collector.publish.KafkaPublisher;
import dev.probestream.collector.publish.KafkaTopics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Each sink reads a topic to its end, against a consumer that only counts, and against converting a local file. */
public final class SinkBenchmark implements Benchmark {
    private static final int REQUESTS = 50_000;
    private static final int WARM_UP_ROUNDS = 1;
    private static final int ROUNDS = 4;
    private static final String HEAP = "-Xmx256m";
    /** What is tried in turn, in MiB, until one is enough. */
    private static final List<Integer> SMALL_HEAPS = List.of(12, 16, 24, 32, 48, 64, 96, 128);

    /** What the rounds of one way measured; the folder's bytes are those of the last. */
    private record Figures(Samples thousands, Samples cpuNs, Samples bytesPerEvent) {
        Figures() {
            this(new Samples(), new Samples(), new Samples());
        }
    }

    @Override
    public String name() {
        return "sink";
    }

    @Override
    public String about() {
        return "a topic of events into the files of each sink, against only reading it and converting a local recording";
    }

    @Override
    public void run(ResultTable table) throws Exception {
        try (Folder folder = Folder.create();
                BrokerJvm broker = BrokerJvm.start(folder.path().resolve("broker"))) {
            Path recording = folder.path().resolve("events.avro");
            long events = SyntheticRecording.write(recording, REQUESTS);
            try (KafkaPublisher publisher = KafkaPublisher.open(
                    Map.of("bootstrap.servers", broker.address()), KafkaTopics.DEFAULT, () -> false)) {
                SyntheticRecording.publish(publisher, REQUESTS);
            }
            Map<Way, Figures> results = contest(broker, recording, events);
            Figures limit = Objects.requireNonNull(results.get(Way.CONSUMER));
            results.forEach((way, figures) -> rows(table, way, figures, limit));
            for (Way way : List.of(Way.SINK_PERFETTO, Way.SINK_CHROME, Way.SINK_PARQUET)) {
                table.value(way.title() + ": heap that suffices", heapThatSuffices(way, broker, recording), "MiB");
            }
            table.note(String.format(
                    Locale.ROOT,
                    "%d rounds of %,d events of one capture, in turn; a JVM with %s for each way. CPU time of all threads;"
                            + " opening, closing and the sync to disk of finished files included. The recording has %.1f"
                            + " bytes per event.",
                    ROUNDS,
                    events,
                    HEAP,
                    (double) Files.size(recording) / events));
        }
    }

    private static Map<Way, Figures> contest(BrokerJvm broker, Path recording, long events) throws Exception {
        Map<Way, Figures> results = new EnumMap<>(Way.class);
        try (ChildJvm.Group children = new ChildJvm.Group()) {
            Map<Way, ChildJvm> jvms = new EnumMap<>(Way.class);
            for (Way way : Way.values()) {
                results.put(way, new Figures());
                jvms.put(way, children.keep(start(way, broker, recording, HEAP)));
            }
            for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
                for (Map.Entry<Way, ChildJvm> jvm : jvms.entrySet()) {
                    Figures figures = Objects.requireNonNull(results.get(jvm.getKey()));
                    turn(jvm.getKey(), jvm.getValue(), events, round < 0 ? new Figures() : figures);
                }
            }
        }
        return results;
    }

    private static ChildJvm start(Way way, BrokerJvm broker, Path recording, String heap) throws IOException {
        return ChildJvm.start(
                ReaderChild.class,
                List.of(heap, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
                way.name(),
                broker.address(),
                recording.toString());
    }

    private static void turn(Way way, ChildJvm jvm, long events, Figures figures) throws IOException {
        try (Folder output = Folder.create()) {
            WorkTime turn = WorkTime.parse(jvm.ask(output.path().toString()));
            if (turn.events() != events) {
                throw new IllegalStateException(way.title() + " had " + turn.events() + " events of " + events);
            }
            figures.thousands().add(turn.millionsPerSecond() * 1e3);
            figures.cpuNs().add(turn.cpuNsPerEvent());
            figures.bytesPerEvent().add((double) sizeBytes(output.path()) / events);
        }
    }

    private static void rows(ResultTable table, Way way, Figures figures, Figures limit) {
        Samples cpuNs = figures.cpuNs();
        table.measured(way.title(), figures.thousands(), "k events/s");
        table.compared(
                way.title() + ": CPU time",
                cpuNs,
                "ns/event",
                cpuNs.median() / limit.cpuNs().median(),
                "only reading");
        if (way != Way.CONSUMER) {
            table.measured(way.title() + ": its files", figures.bytesPerEvent(), "bytes/event");
        }
    }

    private static int heapThatSuffices(Way way, BrokerJvm broker, Path recording) throws IOException {
        for (int mebibytes : SMALL_HEAPS) {
            try (Folder output = Folder.create();
                    ChildJvm jvm = start(way, broker, recording, "-Xmx" + mebibytes + "m")) {
                if (jvm.answers(output.path().toString())) {
                    return mebibytes;
                }
            }
        }
        throw new IllegalStateException(way.title() + " needs more than " + SMALL_HEAPS + " MiB");
    }

    private static long sizeBytes(Path folder) throws IOException {
        long sum = 0;
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sum += Files.size(file);
            }
        }
        return sum;
    }
}
