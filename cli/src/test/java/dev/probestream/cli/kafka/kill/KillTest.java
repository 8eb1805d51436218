package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Broker, collectors and sinks are killed at random moments, all at once, while two programs are traced. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class KillTest {
    /** Twelve of each kind where it counts; a developer waits for fewer. */
    private static final int KILLS = Boolean.parseBoolean(System.getenv("CI")) ? 6 : 4;

    private static final int PROGRAM_SECONDS = 1_200;
    private static final int BEATS_PER_SECOND = 2_500;

    @TempDir
    private Path folder;

    private final long seed = Long.getLong("probestream.kill.seed", System.nanoTime());
    private final Acknowledged acknowledged = new Acknowledged();
    private final long startNs = System.nanoTime();

    @Test
    void whatIsKilledAtAnyMomentLosesNothingAndRepeatsNothing() throws Exception {
        BrokerPlace brokers = BrokerPlace.in(folder);
        SinkPlace tables = SinkPlace.in(folder, "parquet", brokers.servers());
        SinkPlace traces = SinkPlace.in(folder, "perfetto", brokers.servers());
        try (Beats first = program("first");
                Beats second = program("second");
                Reaper broker = brokers(brokers);
                Reaper collectors = collectors(1, first, brokers.servers());
                Reaper moreCollectors = collectors(2, second, brokers.servers());
                Reaper tableSinks = sinks(3, tables);
                Reaper traceSinks = sinks(4, traces)) {
            List<Reaper> all = List.of(broker, collectors, moreCollectors, tableSinks, traceSinks);
            kill(all);
            collectors.last().terminate();
            moreCollectors.last().terminate();

            assertThat(broker.gaveUp()).as("brokers, seed %d", seed).isEmpty();
            assertThat(Stream.of(collectors, moreCollectors, tableSinks, traceSinks)
                            .flatMap(reaper -> reaper.gaveUp().stream()))
                    .as("what those said last that ended by themselves, seed %d", seed)
                    .allMatch(lines -> lines.get(lines.size() - 1).contains(" at " + brokers.servers()));
            TopicContents topic = TopicContents.read(brokers.servers());
            assertThat(topic.faults()).as("topic, seed %d", seed).isEmpty();
            acknowledged
                    .events()
                    .forEach((capture, events) -> assertThat(topic.events(capture))
                            .as("capture %d in the topic, seed %d", capture, seed)
                            .isGreaterThanOrEqualTo(events));
            for (Reaper sinks : List.of(tableSinks, traceSinks)) {
                SinkPlace.awaitCaughtUp(topic.partitions(), List.of(sinks.last()));
                sinks.last().terminate();
            }
            prove(topic, tables, traces);
            printSummary(topic, tables, traces, all);
        }
    }

    private void prove(TopicContents topic, SinkPlace tables, SinkPlace traces) throws Exception {
        try {
            tables.prove(topic);
            traces.prove(topic);
            SinkPlace fresh = tables.beside("parquet-again");
            fresh.runOnce();
            fresh.prove(topic);
        } catch (AssertionError e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private Beats program(String name) throws IOException, InterruptedException {
        Beats beats = Beats.start(Files.createDirectory(folder.resolve(name)), PROGRAM_SECONDS);
        beats.go(3, BEATS_PER_SECOND);
        return beats;
    }

    /** A group takes a member for dead only after six seconds, so that a broker must live longer now and then. */
    private Reaper brokers(BrokerPlace place) throws IOException {
        return new Reaper(place::start, BrokerPlace.READY, KILLS, 5, 14_000, new Random(seed), service -> {});
    }

    /** Half of the kills of its kind. */
    private Reaper collectors(int number, Beats beats, String servers) throws IOException {
        Random random = new Random(seed + number);
        return new Reaper(
                () -> beats.collect(servers), CollectorOutput.READY, KILLS / 2, 5, 6_000, random, acknowledged::record);
    }

    /** Half of the kills of its kind. */
    private Reaper sinks(int number, SinkPlace place) throws IOException {
        Random random = new Random(seed + number);
        return new Reaper(place::start, SinkPlace.READY, KILLS / 2, 2, 6_000, random, service -> {});
    }

    /** Lets them kill to the end; the first that fails ends the others. */
    private static void kill(List<Reaper> reapers) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(reapers.size());
        try {
            ExecutorCompletionService<Service> killing = new ExecutorCompletionService<>(threads);
            reapers.forEach(killing::submit);
            for (int i = 0; i < reapers.size(); i++) {
                killing.take().get();
            }
        } finally {
            threads.shutdownNow();
            // What they started last is closed only then.
            assertThat(threads.awaitTermination(Service.TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private void printSummary(TopicContents topic, SinkPlace tables, SinkPlace traces, List<Reaper> reapers)
            throws IOException {
        List<Integer> kills = reapers.stream().map(Reaper::kills).toList();
        List<Integer> gaveUp =
                reapers.stream().map(reaper -> reaper.gaveUp().size()).toList();
        System.out.printf(
                "killed: broker %d, collectors %d + %d, sinks %d + %d (ended by themselves: %s); %,d events of %d"
                        + " captures in the topic (%,d seen acknowledged), once in %d tables and %d traces; %d s, seed %d%n",
                kills.get(0),
                kills.get(1),
                kills.get(2),
                kills.get(3),
                kills.get(4),
                gaveUp,
                topic.events(),
                topic.identities().size(),
                acknowledged.sum(),
                tables.files(),
                traces.files(),
                Duration.ofNanos(System.nanoTime() - startNs).toSeconds(),
                seed);
    }
}
