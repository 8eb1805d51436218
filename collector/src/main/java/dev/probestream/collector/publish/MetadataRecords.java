package dev.probestream.collector.publish;

import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.message.Topics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Makes the Kafka records of one capture's metadata, which are numbered. Their timestamp is the time of sending. Not thread-safe. */
final class MetadataRecords {
    private static final int PARTITION = 0;
    private static final List<Header> HEADERS = FormatStamp.OWN.entries().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .<Header>map(
                    entry -> new RecordHeader(entry.getKey(), entry.getValue().getBytes(StandardCharsets.UTF_8)))
            .toList();

    private long number;

    /** The next record. */
    ProducerRecord<byte[], byte[]> next(SpecificRecord record) {
        byte[] key = MetadataMessage.key(record, number++);
        return new ProducerRecord<>(Topics.METADATA, PARTITION, key, MetadataMessage.value(record), HEADERS);
    }
}
