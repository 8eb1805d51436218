package dev.probestream.sink.metadata;

import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.message.MessageFormatException;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The metadata topic, read without a consumer group. Its records are indexed by capture ({@link CaptureIndex}), and loaded
 * into a {@link MetadataStore} only for captures whose events are read; so memory does not depend on the number of
 * captures in the topic, and a restart reads only what is new.
 *
 * <p>The index begins at the time of the oldest event in the events topic: captures that ended before have no events. One
 * that began before and still had events is noticed because its Capture record is missing; then the older part of the
 * topic is indexed, too, once.
 */
public final class MetadataTopic implements AutoCloseable {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    /** The clocks of collectors may differ. More than that costs time, not records. */
    private static final Duration CLOCK_MARGIN = Duration.ofHours(1);

    private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The start of the topic that is read, before {@link #poll} is called. */
    private record Origin(Uuid topicId, LongSupplier earliestEventMs) {}

    private final TopicPartition partition;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final MetadataRange range;
    private final MessageFraming framing;
    private final MetadataStore store;
    private final Path indexFile;
    private final MetadataStore.UnreadableMessages listener;
    private final Map<Long, Long> newEnds = new HashMap<>();
    private @Nullable Origin origin;
    private @Nullable CaptureIndex index;
    private long savedNanos;

    private MetadataTopic(
            TopicPartition partition,
            Properties settings,
            MessageFraming framing,
            MetadataStore store,
            Path indexFile,
            MetadataStore.UnreadableMessages listener) {
        this.partition = partition;
        this.consumer = new KafkaConsumer<>(settings);
        this.range = new MetadataRange(settings, partition);
        this.framing = framing;
        this.store = store;
        this.indexFile = indexFile;
        this.listener = listener;
    }

    /**
     * Opens the topic, which need not exist yet.
     *
     * @param name of the topic
     * @param settings of a consumer of bytes
     * @param framing reads the headers of the messages
     * @param folder for temporary files; created; only this object uses it
     * @param indexFolder for the index, which stays; created; only this object uses it
     */
    public static MetadataTopic open(
            String name,
            Properties settings,
            MessageFraming framing,
            Path folder,
            Path indexFolder,
            MetadataStore.UnreadableMessages listener)
            throws IOException {
        MetadataStore store = MetadataStore.create(name, framing, folder, listener);
        Path indexFile = PrivateFiles.createFolders(indexFolder).resolve("captures.index");
        return new MetadataTopic(new TopicPartition(name, 0), settings, framing, store, indexFile, listener);
    }

    /**
     * Must be called before the topic is read.
     *
     * @param earliestEventMs the time of the oldest event in the events topic; called only if there is no index yet. May
     *     throw {@link TimeoutException}
     */
    public void begin(Uuid topicId, LongSupplier earliestEventMs) {
        origin = new Origin(topicId, earliestEventMs);
    }

    /** The topic's name. */
    public String name() {
        return partition.topic();
    }

    public MetadataStore store() {
        return store;
    }

    /**
     * Waits up to {@code timeout} for messages, and indexes them. The topic must exist.
     *
     * @throws TimeoutException if the broker does not answer in time
     */
    public void poll(Duration timeout) throws IOException {
        CaptureIndex known = index();
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(timeout)) {
            take(known, message);
            known.setNext(message.offset() + 1);
        }
        store.flush();
        if (System.nanoTime() - savedNanos > SAVE_NANOS) {
            save(known);
        }
    }

    /** The captures whose end has arrived since the last call, with the number of their events. */
    public Map<Long, Long> takeNewEnds() {
        Map<Long, Long> taken = Map.copyOf(newEnds);
        newEnds.clear();
        return taken;
    }

    /** The number of events of a capture; -1 if its end has not arrived. */
    public long delivered(long captureId) throws IOException {
        return index().find(captureId).map(CaptureIndex.Range::delivered).orElse(-1L);
    }

    /** The offset of a capture's newest record; -1 if it has none. */
    public long newestOffset(long captureId) throws IOException {
        return index().find(captureId).map(CaptureIndex.Range::last).orElse(-1L);
    }

    /**
     * Loads the metadata of a capture into the store, unless it is there. Waits for a broker that does not answer.
     *
     * @param whileWaiting called several times a second meanwhile; may throw to give up
     */
    public void load(long captureId, Runnable whileWaiting) throws IOException {
        if (store.isLoaded(captureId)) {
            return;
        }
        CaptureIndex known = index();
        store.begin(captureId);
        try {
            read(known, captureId, whileWaiting);
            if (!store.of(captureId).isDescribed()) {
                readNew(whileWaiting);
            }
            if (!store.of(captureId).isDescribed() && addOlder(known, whileWaiting)) {
                store.forget(captureId);
                store.begin(captureId);
                read(known, captureId, whileWaiting);
            }
            store.flush();
        } catch (IOException | RuntimeException e) {
            store.forget(captureId);
            throw e;
        }
    }

    private void read(CaptureIndex known, long captureId, Runnable whileWaiting) throws IOException {
        Optional<CaptureIndex.Range> records = known.find(captureId);
        if (records.isPresent()) {
            range.read(records.get().first(), records.get().last(), whileWaiting, message -> {
                if (CaptureMessage.captureId(message) == captureId) {
                    store.add(captureId, message);
                }
            });
        }
    }

    /** Events are read faster than metadata: a capture may be in the part of the topic that was not read yet. */
    private void readNew(Runnable whileWaiting) throws IOException {
        long end = answer(() -> endOffset(ANSWER_LIMIT), whileWaiting);
        while (answer(() -> position(ANSWER_LIMIT), whileWaiting) < end) {
            whileWaiting.run();
            poll(Duration.ofMillis(100));
        }
    }

    /** Indexes the part of the topic before the index's begin; returns whether there was one. */
    private boolean addOlder(CaptureIndex known, Runnable whileWaiting) throws IOException {
        long beginning = answer(
                () -> consumer.beginningOffsets(Set.of(partition), ANSWER_LIMIT).getOrDefault(partition, 0L),
                whileWaiting);
        if (known.from() <= beginning) {
            return false;
        }
        range.read(beginning, known.from() - 1, whileWaiting, message -> addToIndex(known, message));
        known.setFrom(beginning);
        save(known);
        return true;
    }

    private static long answer(LongSupplier query, Runnable whileWaiting) {
        while (true) {
            try {
                return query.getAsLong();
            } catch (TimeoutException e) {
                whileWaiting.run();
            }
        }
    }

    private void take(CaptureIndex known, ConsumerRecord<byte[], byte[]> message) throws IOException {
        OptionalLong end = addToIndex(known, message);
        long captureId = CaptureMessage.captureId(message);
        if (end.isPresent()) {
            newEnds.put(captureId, end.getAsLong());
        }
        store.add(captureId, message);
    }

    /** Returns the number of events if the message is the end of a capture. */
    private OptionalLong addToIndex(CaptureIndex known, ConsumerRecord<byte[], byte[]> message) throws IOException {
        try {
            byte[] key = message.key() == null ? new byte[0] : message.key();
            long captureId = MetadataMessage.captureId(key);
            byte[] value = message.value();
            if (value == null) {
                if (CaptureMessage.isBeginning(key)) {
                    known.remove(captureId);
                }
                return OptionalLong.empty();
            }
            OptionalLong end =
                    CaptureMessage.isEnd(key) ? CaptureMessage.delivered(value, framing) : OptionalLong.empty();
            known.add(captureId, message.offset(), end.orElse(-1));
            return end;
        } catch (MessageFormatException e) {
            listener.unreadable(message.offset(), String.valueOf(e.getMessage()));
            return OptionalLong.empty();
        }
    }

    /** The index, which is created or continued at the first call. */
    private CaptureIndex index() throws IOException {
        CaptureIndex known = index;
        if (known != null) {
            return known;
        }
        Origin begin = origin;
        if (begin == null) {
            throw new IllegalStateException("begin was not called");
        }
        consumer.assign(List.of(partition));
        long end = endOffset(ANSWER_LIMIT);
        long from = CaptureIndex.exists(indexFile, begin.topicId) ? 0 : firstOffset(begin, end);
        known = CaptureIndex.open(indexFile, begin.topicId, from);
        if (known.next() > end) { // the topic lost messages
            known.close();
            Files.delete(indexFile);
            known = CaptureIndex.open(indexFile, begin.topicId, 0);
        }
        consumer.seek(partition, known.next());
        savedNanos = System.nanoTime();
        index = known;
        return known;
    }

    private long firstOffset(Origin begin, long end) {
        long fromMs = begin.earliestEventMs.getAsLong() - CLOCK_MARGIN.toMillis();
        OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(partition, Math.max(0, fromMs)), ANSWER_LIMIT)
                .get(partition);
        return found == null ? end : found.offset();
    }

    private void save(CaptureIndex known) throws IOException {
        known.save();
        savedNanos = System.nanoTime();
    }

    /** The checkpoint of {@link MetadataCleaning}. */
    private MetadataCleaning cleaning() {
        return new MetadataCleaning(indexFile.resolveSibling("checkpoint.json"));
    }

    /**
     * The end of the metadata before which captures may be without events; empty if retention has not deleted all events
     * from before the checkpoint. Without a checkpoint, one is taken.
     *
     * @param eventBeginnings of all partitions of the events topic, queried before this call
     * @param eventEnds queries the ends of all partitions
     */
    public OptionalLong cleanable(List<Long> eventBeginnings, Supplier<List<Long>> eventEnds) throws IOException {
        Optional<MetadataCleaning.Checkpoint> known = cleaning().read();
        if (known.isEmpty()) {
            long end = endOffset(ANSWER_LIMIT);
            cleaning().write(new MetadataCleaning.Checkpoint(end, eventEnds.get(), System.currentTimeMillis()));
            return OptionalLong.empty();
        }
        return known.get().isPassed(eventBeginnings) && known.get().metadataEnd() <= index().next()
                ? OptionalLong.of(known.get().metadataEnd())
                : OptionalLong.empty();
    }

    /** The next checkpoint is taken by {@link #cleanable}. */
    public void dropCheckpoint() throws IOException {
        Files.deleteIfExists(indexFile.resolveSibling("checkpoint.json"));
    }

    /**
     * Passes the keys of the captures without events to {@code keys}, in a part of the topic before the checkpoint. The
     * tombstone of a Capture removes the capture from the index, so it must be the last of its capture's.
     *
     * @param isOfCaptures whether only keys of Captures are passed; otherwise, all others
     * @param fromOffset of the part; 0 = the beginning
     * @param toOffset exclusive
     */
    public void visitCleanable(
            long fromOffset, long toOffset, boolean isOfCaptures, Runnable whileWaiting, Consumer<byte[]> keys)
            throws IOException {
        Optional<MetadataCleaning.Checkpoint> known = cleaning().read();
        if (known.isEmpty()) {
            return;
        }
        long nowMs = System.currentTimeMillis();
        CaptureIndex captures = index();
        range.read(fromOffset, toOffset - 1, whileWaiting, message -> {
            if (message.key() != null
                    && message.value() != null
                    && CaptureMessage.isBeginning(message.key()) == isOfCaptures) {
                Optional<CaptureIndex.Range> capture = captures.find(CaptureMessage.captureId(message));
                if (capture.isPresent() && known.get().isGone(capture.get(), nowMs)) {
                    keys.accept(message.key());
                }
            }
        });
    }

    /** The first offset of the topic that is indexed. */
    public long firstIndexed() throws IOException {
        return index().from();
    }

    /**
     * The offset that the next message will get.
     *
     * @throws TimeoutException if the broker does not answer in time
     */
    public long endOffset(Duration timeout) {
        return consumer.endOffsets(Set.of(partition), timeout).getOrDefault(partition, 0L);
    }

    /**
     * All messages below this offset are indexed.
     *
     * @throws TimeoutException if the broker does not answer in time
     */
    public long position(Duration timeout) {
        return index == null ? 0 : consumer.position(partition, timeout);
    }

    /** Clears the store and opens the index again, after a full disk has interrupted a write. */
    public void restart() throws IOException {
        store.clear();
        CaptureIndex open = index;
        index = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() throws IOException {
        CaptureIndex open = index;
        index = null;
        try (consumer;
                range) {
            if (open != null) {
                try (open) {
                    open.save();
                }
            }
        }
    }
}
