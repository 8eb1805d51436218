package dev.probestream.sink.metadata;

import dev.probestream.schema.message.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** Reads the whole metadata topic, without a consumer group, into a {@link MetadataStore}. */
public final class MetadataTopic implements AutoCloseable {
    private static final TopicPartition PARTITION = new TopicPartition(Topics.METADATA, 0);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final MetadataStore store;
    private boolean isAssigned;

    private MetadataTopic(KafkaConsumer<byte[], byte[]> consumer, MetadataStore store) {
        this.consumer = consumer;
        this.store = store;
    }

    /** @param settings of a consumer of bytes; {@code folder} is created; only this object uses it */
    public static MetadataTopic open(Properties settings, Path folder, MetadataStore.UnreadableMessages listener)
            throws IOException {
        MetadataStore store = MetadataStore.create(folder, listener);
        return new MetadataTopic(new KafkaConsumer<>(settings), store);
    }

    public MetadataStore store() {
        return store;
    }

    /** Waits up to {@code timeout} for messages and stores them. The topic must exist. */
    public void poll(Duration timeout) throws IOException {
        if (!isAssigned) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            isAssigned = true;
        }
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(timeout)) {
            store.add(message.offset(), message.key(), message.value());
        }
        store.flush();
    }

    /**
     * The offset that the next message will get.
     *
     * @throws TimeoutException if the broker does not answer in time
     */
    public long endOffset(Duration timeout) {
        return consumer.endOffsets(Set.of(PARTITION), timeout).getOrDefault(PARTITION, 0L);
    }

    /**
     * All messages below this offset are in the store.
     *
     * @throws TimeoutException if the broker does not answer in time
     */
    public long position(Duration timeout) {
        return isAssigned ? consumer.position(PARTITION, timeout) : 0;
    }

    /** Clears the store and reads the topic again, after a full disk has interrupted a write. */
    public void restart() throws IOException {
        store.clear();
        isAssigned = false;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
