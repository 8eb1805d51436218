package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.probe.Collecting;
import dev.probestream.collector.publish.KafkaPublisher;
import dev.probestream.collector.publish.KafkaTopics;
import dev.probestream.collector.request.CollectionOutcome;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that collects from a process into Kafka, again and again. Its arguments: the pid, a probe, the broker's address.
 * For a line of its input it probes the process and answers when that is done; for the next it ends the collection and
 * answers: events acknowledged, events lost, CPU nanoseconds of all its threads meanwhile.
 */
final class CollectChild {
    private CollectChild() {}

    public static void main(String[] arguments) throws Exception {
        int pid = Integer.parseInt(arguments[0]);
        Map<String, String> properties = Map.of("bootstrap.servers", arguments[2]);
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        @Nullable String line;
        while ((line = questions.readLine()) != null) {
            Collecting collecting = Collecting.start(
                    pid, arguments[1], () -> KafkaPublisher.open(properties, KafkaTopics.DEFAULT, () -> false));
            long startNs = CpuClock.processNs();
            System.out.println("probed");
            questions.readLine();
            CollectionOutcome outcome = collecting.finish();
            System.out.println(
                    outcome.deliveredEvents() + " " + outcome.lostEvents() + " " + (CpuClock.processNs() - startNs));
        }
    }
}
