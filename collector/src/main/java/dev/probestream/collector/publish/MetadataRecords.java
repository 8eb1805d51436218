package dev.probestream.collector.publish;

import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import java.util.List;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** Makes the Kafka records of one capture's metadata, which are numbered. Their timestamp is the time of sending. Not thread-safe. */
final class MetadataRecords {
    private static final int PARTITION = 0;
    private static final List<Header> HEADERS = MessageHeaders.of(new TreeMap<>(FormatStamp.OWN.entries()));

    private final String topic;
    private final MessageFraming framing;
    private long number;

    MetadataRecords(String topic, MessageFraming framing) {
        this.topic = topic;
        this.framing = framing;
    }

    /** The next record. */
    ProducerRecord<byte[], byte[]> next(SpecificRecord record) {
        byte[] key = MetadataMessage.key(record, number++);
        return new ProducerRecord<>(topic, PARTITION, key, MetadataMessage.value(record, framing), HEADERS);
    }
}
