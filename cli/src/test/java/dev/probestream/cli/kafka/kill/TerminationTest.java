package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** SIGTERM under load: {@link Service#terminate} asserts exit code 0 within ten seconds. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class TerminationTest {
    private static final long EVENTS = 50_000;

    @TempDir
    private Path folder;

    @Test
    void sinkBrokerAndCollectorEndInOrderAndLoseNothing() throws Exception {
        BrokerPlace place = BrokerPlace.in(folder);
        SinkPlace sinks = SinkPlace.in(folder, "parquet", place.servers());
        try (Beats beats = Beats.start(folder, 300);
                Service broker = place.start()) {
            broker.await(BrokerPlace.READY);
            try (Service collector = beats.collect(place.servers());
                    Service sink = sinks.start()) {
                collector.await(CollectorOutput.READY);
                beats.go(2, 20_000);
                sink.await("finished ");
                sink.terminate();
                CollectorOutput.awaitMore(collector, EVENTS);
                broker.terminate();
                try (Service brokerAgain = place.start();
                        Service sinkAgain = sinks.start()) {
                    brokerAgain.await(BrokerPlace.READY);
                    CollectorOutput.awaitMore(collector, EVENTS);
                    long calledAtLeast = CollectorOutput.acknowledged(collector);
                    collector.terminate(); // the program goes on calling
                    CollectorOutput ended = CollectorOutput.ended(collector);
                    assertThat(ended.acknowledged())
                            .isEqualTo(ended.delivered())
                            .isGreaterThanOrEqualTo(calledAtLeast);

                    TopicContents topic = TopicContents.read(place.servers());
                    assertThat(topic.faults()).isEmpty();
                    assertThat(topic.events(ended.captureId())).isEqualTo(ended.delivered());
                    SinkPlace.awaitCaughtUp(topic.partitions(), List.of(sinkAgain));
                    sinkAgain.terminate();
                    sinks.prove(topic);
                }
            }
        }
    }
}
