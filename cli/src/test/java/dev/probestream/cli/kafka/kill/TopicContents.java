package dev.probestream.cli.kafka.kill;

import dev.probestream.broker.BrokerRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** All events of the topic, read by plain kafka-clients and plain Avro with the published schema. */
final class TopicContents {
    private static final String TOPIC = "probestream.events";
    private static final int MAX_FAULTS = 20;

    private final BinaryMessageDecoder<GenericRecord> decoder;
    private final Map<Long, Numbers> identities = new TreeMap<>();
    private final Map<Long, Integer> partitionOfCapture = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private int partitions;

    private TopicContents(Schema event) {
        this.decoder = new BinaryMessageDecoder<>(GenericData.get(), event);
    }

    /** From the beginning to where the topic ends now. */
    static TopicContents read(String servers) throws IOException {
        TopicContents contents = new TopicContents(publishedSchema());
        Properties properties = new Properties();
        properties.putAll(BrokerRegistry.clientProperties(Integer.parseInt(servers.substring(servers.indexOf(':') + 1)))
                .orElseThrow());
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            contents.readAll(consumer);
        }
        return contents;
    }

    private static Schema publishedSchema() throws IOException {
        try (InputStream resource = TopicContents.class.getResourceAsStream("/dev/probestream/schema/Event.avsc")) {
            if (resource == null) {
                throw new IOException("the schema of events is not published as a resource");
            }
            return new Schema.Parser().parse(resource);
        }
    }

    private void readAll(KafkaConsumer<byte[], byte[]> consumer) throws IOException {
        List<TopicPartition> all = consumer.partitionsFor(TOPIC).stream()
                .map(partition -> new TopicPartition(TOPIC, partition.partition()))
                .toList();
        partitions = all.size();
        consumer.assign(all);
        consumer.seekToBeginning(all);
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        long deadlineNs = System.nanoTime() + Service.TIMEOUT.toNanos();
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                add(record);
            }
            if (System.nanoTime() > deadlineNs) {
                throw new IOException("the topic could not be read to its ends " + ends);
            }
        }
    }

    private void add(ConsumerRecord<byte[], byte[]> record) throws IOException {
        GenericRecord event = decoder.decode(record.value());
        long captureId = (Long) event.get("captureId");
        long sequence = (Long) event.get("sequence");
        Numbers known = identities.computeIfAbsent(captureId, id -> new Numbers());
        int partition = partitionOfCapture.computeIfAbsent(captureId, id -> record.partition());
        if ((sequence != known.size() || partition != record.partition()) && faults.size() < MAX_FAULTS) {
            faults.add("capture " + captureId + ": sequence " + sequence + " where " + known.size()
                    + " was expected, partition " + record.partition() + " offset " + record.offset());
        }
        boolean isSpan = event.get("kind").toString().endsWith("SPAN");
        known.add(Beats.identity(isSpan, (Long) ((List<?>) event.get("numbers")).get(0)));
    }

    /** What is wrong with the sequence numbers: each capture must have 0, 1, 2 ... in one partition. */
    List<String> faults() {
        return faults;
    }

    /** {@link Beats#identity} of each event, in the order of sequence numbers, by capture. */
    Map<Long, Numbers> identities() {
        return identities;
    }

    /** How many events a capture has; 0 when it is not there. */
    long events(long captureId) {
        Numbers known = identities.get(captureId);
        return known == null ? 0 : known.size();
    }

    long events() {
        return identities.values().stream().mapToLong(Numbers::size).sum();
    }

    int partitions() {
        return partitions;
    }
}
