package dev.probestream.cli.kafka.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Instances of one sink come, are killed, and freeze, while several captures run. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("deep")
@KernelTest(since = "5.8")
class InstancesTest {
    private static final int CAPTURES = 4;

    /** Of the topic of events, as collectors make it. */
    private static final int PARTITIONS = 6;

    @TempDir
    private Path folder;

    /** What runs, to be ended whatever happens, the last first. */
    private final Deque<AutoCloseable> running = new ArrayDeque<>();

    @ParameterizedTest
    @ValueSource(strings = {"parquet", "chrome"})
    void instancesThatComeAndDieAndFreezeShareTheWorkWithoutLossOrRepetition(String format) throws Exception {
        try {
            shareTheWork(format);
        } finally {
            while (!running.isEmpty()) {
                running.pop().close();
            }
        }
    }

    private void shareTheWork(String format) throws Exception {
        BrokerPlace place = BrokerPlace.in(folder);
        Beats beats = opened(Beats.start(folder, 600));
        opened(place.start()).await(BrokerPlace.READY);
        beats.go(2, 1_000);
        List<Service> collectors = new ArrayList<>();
        for (int i = 0; i < CAPTURES; i++) {
            collectors.add(opened(beats.collect(place.servers())));
            collectors.get(i).await(CollectorOutput.READY);
        }
        SinkPlace sinks = SinkPlace.in(folder, format, place.servers());
        Service first = opened(sinks.start());
        Service second = opened(sinks.start());
        awaitShared(List.of(first, second));
        Service third = opened(sinks.start());
        awaitShared(List.of(first, second, third));

        first.kill();
        awaitShared(List.of(second, third));
        second.freeze();
        // The group takes it for dead, but its locks stand: nobody may write beside it.
        third.await("is still locked by process " + second.pid());
        second.thaw();
        third.await("resumed: no longer waiting for the lock");
        awaitShared(List.of(second, third));

        for (Service collector : collectors) {
            collector.terminate();
        }
        TopicContents topic = TopicContents.read(place.servers());
        assertThat(topic.faults()).isEmpty();
        assertThat(topic.identities()).hasSize(CAPTURES);
        SinkPlace.awaitCaughtUp(PARTITIONS, List.of(second, third));
        second.terminate();
        third.terminate();
        long files = sinks.files();
        // Clears away what the killed one had in the making, and finds nothing to do.
        sinks.runOnce();
        assertThat(sinks.files()).isEqualTo(files);
        sinks.prove(topic);
        System.out.printf(
                "three instances, one killed, one frozen: %,d events of %d captures, once in %d files (%s)%n",
                topic.events(), CAPTURES, files, format);
    }

    /** Waits until each has some of the partitions and all of them have all. */
    private static void awaitShared(List<Service> instances) throws IOException, InterruptedException {
        BoundedWait.await(
                () -> {
                    int sum = 0;
                    for (Service instance : instances) {
                        int own = instance.metrics().values(SinkPlace.LAG).size();
                        if (own == 0) {
                            return false;
                        }
                        sum += own;
                    }
                    return sum == PARTITIONS;
                },
                () -> "all share the partitions, of "
                        + instances.stream().map(Service::output).toList());
    }

    private <T extends AutoCloseable> T opened(T resource) {
        running.push(resource);
        return resource;
    }
}
