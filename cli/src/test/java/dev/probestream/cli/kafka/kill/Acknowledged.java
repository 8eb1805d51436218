package dev.probestream.cli.kafka.kill;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What collectors last reported as acknowledged before they were killed, by capture. */
final class Acknowledged {
    private final Map<Long, Long> events = new ConcurrentHashMap<>();

    /** Asks the collector. */
    void record(Service collector) throws IOException, InterruptedException {
        events.put(CollectorOutput.captureId(collector), CollectorOutput.acknowledged(collector));
    }

    Map<Long, Long> events() {
        return events;
    }

    long sum() {
        return events.values().stream().mapToLong(Long::longValue).sum();
    }
}
