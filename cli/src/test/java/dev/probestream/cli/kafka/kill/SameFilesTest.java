package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files do not depend on how often their sink was interrupted. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class SameFilesTest {
    private static final long EVENTS = 400_000;
    private static final int KILLS = 5;
    private static final int MAX_DELAY_MS = 3_000;

    @TempDir
    private Path folder;

    private final long seed = Long.getLong("probestream.kill.seed", System.nanoTime());

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "perfetto", "chrome"})
    void aSinkThatWasKilledMakesTheSameFilesAsOneThatWasNot(String format) throws Exception {
        BrokerPlace place = BrokerPlace.in(folder);
        try (Beats beats = Beats.start(folder, 300);
                Service broker = place.start()) {
            broker.await(BrokerPlace.READY);
            try (Service collector = beats.collect(place.servers())) {
                collector.await(CollectorOutput.READY);
                beats.go(2, 40_000);
                CollectorOutput.awaitMore(collector, EVENTS);
                beats.stop();
                collector.terminate();
            }
            TopicContents topic = TopicContents.read(place.servers());
            SinkPlace sinks = SinkPlace.in(folder, format, place.servers());
            Random random = new Random(seed);
            for (int i = 0; i < KILLS; i++) {
                try (Service sink = sinks.startOnce()) {
                    Thread.sleep(random.nextInt(MAX_DELAY_MS));
                    sink.kill();
                }
            }
            sinks.runOnce();
            SinkPlace others = sinks.beside("undisturbed");
            others.runOnce();

            sinks.prove(topic);
            assertThat(sinks.contents()).as("files, seed %d", seed).isEqualTo(others.contents());
            var before = sinks.contents();
            sinks.runOnce();
            assertThat(sinks.contents()).isEqualTo(before);
        }
    }
}
