package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.probestream.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that go away while a capture is published to them. */
@Timeout(240)
class BrokerOutageTest {
    private static final Map<String, String> IMPATIENT =
            Map.of("delivery.timeout.ms", "3000", "request.timeout.ms", "2000", "buffer.memory", "1048576");

    @TempDir
    private Path folder;

    private final AtomicBoolean stop = new AtomicBoolean();

    @Test
    void aBrokerThatComesBackHasEverythingOnceAndInOrder() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(folder, 0);
        String servers = broker.bootstrapServers();
        try (KafkaPublisher publisher = open(broker, Map.of("buffer.memory", "1048576"))) {
            AtomicBoolean enough = new AtomicBoolean();
            SyntheticCapture capture = new SyntheticCapture(publisher);
            CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
                capture.begin();
                while (!enough.get()) {
                    capture.events(100, 1);
                }
                capture.end();
            });
            for (int outage = 0; outage < 3; outage++) {
                waitFor(() -> publisher.counters().acknowledgedEvents() > 0);
                long acknowledged = publisher.counters().acknowledgedEvents();
                waitFor(() -> publisher.counters().acknowledgedEvents() > acknowledged + 10_000);
                broker.close();
                broker = EmbeddedBroker.start(folder, port(servers));
            }
            enough.set(true);
            publishing.get(100, TimeUnit.SECONDS);

            assertThat(publisher.counters().acknowledgedEvents()).isEqualTo(capture.published());
            assertThat(PublishedEvents.countInOrder(broker)).isEqualTo(capture.published());
        } finally {
            broker.close();
        }
    }

    /** A probe is described when it is hit first. */
    @Test
    void eventsOfProbesThatAreHitFirstInAnOutageAreHeld() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(folder, 0);
        String servers = broker.bootstrapServers();
        try (KafkaPublisher publisher = open(broker, Map.of())) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(1_000, 1);
            publisher.complete();
            broker.close();

            // Until the client has found that no broker is there, and longer.
            CompletableFuture.runAsync(() -> {
                        for (int probe = 1; probe <= 10; probe++) {
                            capture.probe(probe);
                            capture.events(20_000, probe);
                            publisher.flush();
                            LockSupport.parkNanos(500_000_000);
                        }
                    })
                    .get(60, TimeUnit.SECONDS);
            assertThat(publisher.counters().acknowledgedEvents()).isEqualTo(1_000);

            broker = EmbeddedBroker.start(folder, port(servers));
            CompletableFuture.runAsync(capture::end).get(60, TimeUnit.SECONDS);
            assertThat(publisher.counters().acknowledgedEvents()).isEqualTo(201_000);
            assertThat(PublishedEvents.countInOrder(broker)).isEqualTo(201_000);
        } finally {
            broker.close();
        }
    }

    @Test
    void aBrokerThatStaysAwayIsSaidWithTheCounts() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(folder, 0);
        String servers = broker.bootstrapServers();
        long acknowledged;
        try (KafkaPublisher publisher = open(broker, IMPATIENT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(1_000, 1);
            publisher.complete();
            broker.close();

            PublishException failure = catchThrowableOfType(PublishException.class, () -> capture.events(1_000_000, 1));

            acknowledged = publisher.counters().acknowledgedEvents();
            assertThat(acknowledged).isEqualTo(1_000);
            assertThat(failure)
                    .hasMessageContaining("publish to Kafka at " + servers)
                    .hasMessageContaining("1000 events were acknowledged and are stored, "
                            + (capture.published() - acknowledged) + " were not acknowledged and may be missing")
                    .hasMessageContaining("last response at 2")
                    .hasMessageContaining("check that the broker is running");
            assertThatThrownBy(publisher::flush).isInstanceOf(PublishException.class);
            assertThatThrownBy(publisher::complete).isInstanceOf(PublishException.class);
        }
        try (EmbeddedBroker again = EmbeddedBroker.start(folder, 0)) {
            assertThat(PublishedEvents.countInOrder(again)).isEqualTo(acknowledged);
        }
    }

    @Test
    void aSlowCaptureHearsOfItToo() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(folder, 0);
        try (KafkaPublisher publisher = open(broker, IMPATIENT)) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(10, 1);
            publisher.complete();
            broker.close();

            PublishException failure = catchThrowableOfType(PublishException.class, () -> {
                capture.events(1, 1);
                while (true) {
                    publisher.flush();
                    LockSupport.parkNanos(100_000_000);
                }
            });

            assertThat(failure).hasMessageContaining("10 events were acknowledged and are stored, 1 were not");
        }
    }

    @Test
    @Tag("deep")
    void aStopEndsPublishingThatIsBlocked() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start(folder, 0);
        try (KafkaPublisher publisher = open(broker, Map.of("buffer.memory", "1048576"))) {
            SyntheticCapture capture = new SyntheticCapture(publisher);
            capture.begin();
            capture.events(1_000, 1);
            publisher.complete();
            broker.close();
            CompletableFuture<PublishException> blocked = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(PublishException.class, () -> capture.events(1_000_000, 1)));
            waitFor(() -> publisher.counters().waitingNs() > 1_000_000_000);

            stop.set(true);
            long stopNs = System.nanoTime();
            PublishException failure = blocked.get(120, TimeUnit.SECONDS);

            assertThat(failure)
                    .hasMessageContaining("stopped, then no response for 5 s")
                    .hasMessageContaining("1000 events were acknowledged and are stored");
            assertThat(System.nanoTime() - stopNs)
                    .isLessThan(Duration.ofSeconds(60).toNanos());
        }
    }

    private KafkaPublisher open(EmbeddedBroker broker, Map<String, String> more) {
        Map<String, String> properties = new HashMap<>(more);
        properties.putAll(broker.clientProperties());
        return KafkaPublisher.open(properties, KafkaTopics.DEFAULT, stop::get);
    }

    private static int port(String servers) {
        return Integer.parseInt(servers.substring(servers.indexOf(':') + 1));
    }

    private static void waitFor(BooleanSupplier condition) {
        long endNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited a minute").isLessThan(endNs);
            LockSupport.parkNanos(5_000_000);
        }
    }
}
