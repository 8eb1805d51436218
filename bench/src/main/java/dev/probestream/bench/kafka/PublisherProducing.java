package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.WorkTime;
import dev.probestream.collector.publish.KafkaPublisher;
import dev.probestream.collector.publish.KafkaTopics;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Our publisher, fed with complete events; their sequence numbers repeat, which does not matter to the broker. */
final class PublisherProducing implements ChildJvm.Work {
    private final Map<String, String> properties;
    private final EventEncoder[] events = TypicalEvents.prepare();

    PublisherProducing(String address) {
        properties = Map.of("bootstrap.servers", address);
    }

    @Override
    public WorkTime turn(String recordCount) throws IOException {
        long records = Long.parseLong(recordCount);
        long startCpuNs = CpuClock.processNs();
        long wallNs;
        try (KafkaPublisher publisher = KafkaPublisher.open(properties, KafkaTopics.DEFAULT, () -> false)) {
            long startNs = System.nanoTime();
            publisher.publish(new Capture(
                    TypicalEvents.CAPTURE_ID,
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    2,
                    "",
                    List.of("bench"),
                    TypicalEvents.START_NS,
                    TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()),
                    0L));
            publisher.publish(new Probe(
                    TypicalEvents.CAPTURE_ID,
                    TypicalEvents.PROBE_ID,
                    "",
                    "",
                    "",
                    EventKind.SPAN,
                    "",
                    List.of(),
                    "",
                    "",
                    "",
                    false));
            for (long i = 0; i < records; i++) {
                publisher.publish(events[(int) (i % events.length)]);
            }
            publisher.complete();
            wallNs = System.nanoTime() - startNs;
            long acknowledged = publisher.counters().acknowledgedEvents();
            if (acknowledged != records) {
                throw new IOException("published " + records + " events, but " + acknowledged + " were acknowledged");
            }
        }
        return new WorkTime(records, CpuClock.processNs() - startCpuNs, wallNs);
    }
}
