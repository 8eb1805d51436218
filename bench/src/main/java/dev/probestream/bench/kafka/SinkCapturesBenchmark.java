package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Start and memory of a sink against the number of captures in the metadata topic, 30 KB of metadata each. */
public final class SinkCapturesBenchmark implements Benchmark {
    private static final List<Integer> CAPTURES = List.of(100, 10_000, 100_000);
    private static final List<String> HEAPS = List.of("-Xmx32m", "-Xmx48m", "-Xmx64m", "-Xmx128m", "-Xmx1g", "-Xmx8g");

    /** What a run of the sink took. */
    private record Run(String heap, double seconds, double peakMegabytes) {}

    @Override
    public String name() {
        return "sink-captures";
    }

    @Override
    public String about() {
        return "start and memory of 'sink parquet --once' against the captures in the metadata topic";
    }

    @Override
    public void run(ResultTable table) throws Exception {
        for (int captures : CAPTURES) {
            try (Folder folder = Folder.create();
                    BrokerJvm broker = BrokerJvm.start(folder.path().resolve("broker"));
                    DeadCaptures topics = DeadCaptures.create(broker.address())) {
                measure(table, String.format(Locale.ROOT, "%,d captures", captures), captures, folder, broker, topics);
            }
        }
        table.note("Each capture has 30 KB of metadata and no end. \"Their events are gone\": the oldest event in the"
                + " topic is newer than they are. \"In the topic\": it is older, so that events of all of them may"
                + " follow. Each run finishes one capture's event. The heap is the smallest of "
                + HEAPS + " that suffices; memory is the peak of the whole JVM.");
    }

    private static void measure(
            ResultTable table, String name, int captures, Folder folder, BrokerJvm broker, DeadCaptures topics)
            throws Exception {
        Instant now = Instant.now();
        topics.publish(captures, now.minus(Duration.ofDays(2)));
        topics.liveEvent(now);
        Path output = folder.path().resolve("gone");
        row(table, name + ", their events are gone: first start", run(broker, output));
        topics.liveEvent(now);
        row(table, name + ", their events are gone: restart", run(broker, output));
        topics.liveEvent(now.minus(Duration.ofDays(3)));
        Path other = folder.path().resolve("there");
        row(table, name + ", in the topic: first start", run(broker, other));
        topics.liveEvent(now);
        row(table, name + ", in the topic: restart", run(broker, other));
    }

    private static void row(ResultTable table, String what, Run run) {
        table.value(what, run.seconds, "s");
        table.value(what + ", memory (" + run.heap + ")", run.peakMegabytes, "MB");
    }

    private static Run run(BrokerJvm broker, Path output) throws IOException {
        for (String heap : HEAPS) {
            try (ChildJvm sink = ChildJvm.start(
                    SinkStartChild.class,
                    List.of(heap, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"),
                    broker.address(),
                    Files.createDirectories(output).toString())) {
                String[] numbers = sink.receive().split(" ");
                if (Character.isDigit(numbers[0].charAt(0))) {
                    if (Long.parseLong(numbers[0]) < 1) {
                        throw new IllegalStateException("the sink finished no event");
                    }
                    return new Run(heap, Long.parseLong(numbers[1]) / 1e3, Long.parseLong(numbers[2]) / 1e6);
                }
            } catch (IOException e) {
                // It ran out of memory: tried with more.
            }
        }
        throw new IllegalStateException("the sink needs more than " + HEAPS);
    }
}
