package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The broker is killed and does not come back. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class AbsentBrokerTest {
    private static final Pattern COUNTS =
            Pattern.compile("publish to Kafka at .*; (\\d+) events were acknowledged and are stored, (\\d+) were not");

    @TempDir
    private Path folder;

    @Test
    void aBrokerThatStaysAwayEndsTheCollectorWithTheCounts() throws Exception {
        Path config = Files.writeString(
                folder.resolve("client.properties"),
                "delivery.timeout.ms=5000\nrequest.timeout.ms=3000\ndefault.api.timeout.ms=60000\n");
        BrokerPlace place = BrokerPlace.in(folder);
        try (Beats beats = Beats.start(folder, 300);
                Service broker = place.start()) {
            broker.await(BrokerPlace.READY);
            try (Service collector = beats.collect(place.servers(), "--kafka-config", config.toString())) {
                long captureId = CollectorOutput.captureId(collector);
                beats.go(2, 2_000);
                CollectorOutput.awaitMore(collector, 2_000);
                broker.kill();

                assertThat(collector.end()).as("%s", collector.output()).isEqualTo(1);

                Matcher counts = collector.await(COUNTS);
                assertThat(Long.parseLong(counts.group(2))).isPositive();
                try (Service again = place.start()) {
                    again.await(BrokerPlace.READY);
                    TopicContents topic = TopicContents.read(place.servers());
                    assertThat(topic.faults()).isEmpty();
                    // What the broker had taken when it was killed may not have been acknowledged any more.
                    assertThat(topic.events(captureId)).isGreaterThanOrEqualTo(Long.parseLong(counts.group(1)));
                }
            }
        }
    }
}
