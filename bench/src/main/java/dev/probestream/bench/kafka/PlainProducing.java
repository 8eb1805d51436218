package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.WorkTime;
import dev.probestream.schema.message.EventMessage;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's producer with our properties, fed with prepared arrays. */
final class PlainProducing implements ChildJvm.Work {
    private final Map<String, Object> properties;
    private final byte[] key = EventMessage.key(TypicalEvents.CAPTURE_ID, TypicalEvents.PROBE_ID);
    private final byte[][] values = TypicalEvents.values();

    PlainProducing(String address) {
        properties = new HashMap<>(KafkaTopic.OUR_PROPERTIES);
        properties.put("bootstrap.servers", address);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the future's result
    public WorkTime turn(String recordCount) throws IOException {
        long records = Long.parseLong(recordCount);
        AtomicLong acknowledged = new AtomicLong();
        Callback counting = (metadata, failure) -> {
            if (failure == null) {
                acknowledged.setRelease(acknowledged.getPlain() + 1);
            }
        };
        long startCpuNs = CpuClock.processNs();
        long wallNs;
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            long startNs = System.nanoTime();
            for (long i = 0; i < records; i++) {
                byte[] value = values[(int) (i % values.length)];
                producer.send(new ProducerRecord<>(KafkaTopic.NAME, 0, key, value), counting);
            }
            producer.flush();
            wallNs = System.nanoTime() - startNs;
        }
        if (acknowledged.get() != records) {
            throw new IOException("sent " + records + " records to Kafka, but " + acknowledged + " were acknowledged");
        }
        return new WorkTime(records, CpuClock.processNs() - startCpuNs, wallNs);
    }
}
