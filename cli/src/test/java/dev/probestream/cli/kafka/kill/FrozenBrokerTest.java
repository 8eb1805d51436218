package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The broker stands still while more comes than can be kept. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class FrozenBrokerTest {
    private static final Duration FROZEN = Duration.ofSeconds(Boolean.parseBoolean(System.getenv("CI")) ? 20 : 15);

    /** With work() for every eighth beat(): 112,500 events per second. */
    private static final long BEATS_PER_SECOND = 100_000;

    private static final int PROGRAM_SECONDS = 600;
    private static final long WARM_UP_EVENTS = 300_000;

    /** Kafka's buffer, which is 32 MiB and full while the broker stands still, fits beside all else. */
    private static final List<String> SMALL_HEAP = List.of("-Xmx96m");

    private static final long SLACK_BYTES = 4 << 20;

    @TempDir
    private Path folder;

    @Test
    void lossesAreCountedAndMemoryDoesNotGrowAndThenItGoesOn() throws Exception {
        BrokerPlace place = BrokerPlace.in(folder);
        try (Beats beats = Beats.start(folder, PROGRAM_SECONDS);
                Service broker = place.start()) {
            broker.await(BrokerPlace.READY);
            try (Service collector = beats.collect(SMALL_HEAP, place.servers(), "--ring-size", "4M")) {
                collector.await(CollectorOutput.READY);
                beats.go(4, BEATS_PER_SECOND);
                CollectorOutput.awaitMore(collector, WARM_UP_EVENTS);
                long heapBefore = collector.liveHeapBytes();

                broker.freeze();
                long thawNs = System.nanoTime() + FROZEN.toNanos();
                long lostBefore = CollectorOutput.lost(collector);
                collector.await("does not respond");
                long heapAtFirst = collector.liveHeapBytes();
                long acknowledgedFrozen = CollectorOutput.acknowledged(collector);
                Thread.sleep(
                        Math.max(0, Duration.ofNanos(thawNs - System.nanoTime()).toMillis()));
                long heapAtLast = collector.liveHeapBytes();
                assertThat(CollectorOutput.acknowledged(collector)).isEqualTo(acknowledgedFrozen);
                broker.thaw();

                CollectorOutput.awaitMore(collector, 2 * WARM_UP_EVENTS);
                long heapAfter = collector.liveHeapBytes();
                long called = beats.stop();
                collector.terminate();

                CollectorOutput ended = CollectorOutput.ended(collector);
                System.out.printf(
                        "broker frozen for %d s: %,d calls = %,d events + %,d lost (%,d before); live heap %s, %d cpus%n",
                        FROZEN.toSeconds(),
                        called,
                        ended.delivered(),
                        ended.lost(),
                        lostBefore,
                        List.of(kib(heapBefore), kib(heapAtFirst), kib(heapAtLast), kib(heapAfter)),
                        Runtime.getRuntime().availableProcessors());
                assertThat(ended.lost()).isGreaterThan(lostBefore);
                assertThat(ended.delivered() + ended.lost()).isEqualTo(called);
                assertThat(ended.acknowledged()).isEqualTo(ended.delivered());
                assertThat(heapAtLast).isLessThan(heapAtFirst + SLACK_BYTES);
                assertThat(heapAfter).isLessThan(heapAtFirst + SLACK_BYTES);
                TopicContents topic = TopicContents.read(place.servers());
                assertThat(topic.faults()).isEmpty();
                assertThat(topic.events(ended.captureId())).isEqualTo(ended.delivered());
            }
        }
    }

    private static String kib(long bytes) {
        return (bytes >> 10) + " KiB";
    }
}
