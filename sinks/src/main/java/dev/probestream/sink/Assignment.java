package dev.probestream.sink;

import dev.probestream.sink.position.HeldLock;
import dev.probestream.sink.position.Position;
import dev.probestream.sink.position.SinkFolder;
import dev.probestream.sink.spool.SpoolFolder;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The partitions assigned to this instance. A partition is read only after its lock was taken, and the lock is released
 * only after everything unfinished of it was dropped: only the holder of the lock writes, whatever the consumer group
 * assigned.
 */
final class Assignment implements ConsumerRebalanceListener {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    /** A message has the time of the event's end by the newest clock of its capture; the window uses the capture's first clock. */
    private static final Duration WINDOW_MARGIN = Duration.ofSeconds(10);

    private final SinkRequest request;
    private final TopicWatch watch;
    private final GroupFolder groupFolder;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final SinkFolder folder;
    private final SpoolFolder spools;
    private final WantedEvents wanted;
    private final CaptureMetadataSource metadata;
    private final SinkListener listener;
    private final WaitReports waits;
    private final Counts counts;
    private final Map<Integer, HeldLock> locks = new HashMap<>();
    private final Map<Integer, PartitionReader> readers = new TreeMap<>();
    /** Assigned, but not being read yet. */
    private final Set<Integer> unopened = new TreeSet<>();

    private @Nullable IOException failure;
    private @Nullable SinkException refusal;
    private boolean isReleased;
    /** By partition, the end that the topic had at the start; empty if the sink has no end. */
    private Map<TopicPartition, Long> ends = Map.of();

    Assignment(
            SinkRequest request,
            TopicWatch watch,
            GroupFolder groupFolder,
            KafkaConsumer<byte[], byte[]> consumer,
            SinkFolder folder,
            SpoolFolder spools,
            WantedEvents wanted,
            CaptureMetadataSource metadata,
            SinkListener listener,
            WaitReports waits,
            Counts counts) {
        this.request = request;
        this.watch = watch;
        this.groupFolder = groupFolder;
        this.consumer = consumer;
        this.folder = folder;
        this.spools = spools;
        this.wanted = wanted;
        this.metadata = metadata;
        this.listener = listener;
        this.waits = waits;
        this.counts = counts;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            // Fetches nothing before the position is known; the group's committed offset is not used.
            consumer.pause(List.of(partition));
            consumer.seek(partition, 0);
            unopened.add(partition.partition());
        }
        if (!partitions.isEmpty() && !isShared()) {
            listener.assigned(partitionNumbers(partitions));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (!isReleased && isTopicGone(partitions)) {
            return; // no other instance can read them: SinkLoop finishes what was read
        }
        long droppedEvents = 0;
        for (TopicPartition partition : partitions) {
            droppedEvents += release(partition.partition());
        }
        if (!partitions.isEmpty() && !isReleased) {
            listener.revoked(partitionNumbers(partitions), droppedEvents);
        }
    }

    private boolean isTopicGone(Collection<TopicPartition> revoked) {
        if (revoked.stream().noneMatch(partition -> readers.containsKey(partition.partition()))) {
            return false;
        }
        try {
            return watch.checkNow().isPresent();
        } catch (SinkException e) {
            refusal = e;
            return false;
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        onPartitionsRevoked(partitions);
    }

    /** The partitions that are being read. */
    Collection<PartitionReader> readers() {
        return readers.values();
    }

    @Nullable
    PartitionReader reader(int partition) {
        return readers.get(partition);
    }

    /** Sets the end that each partition is read to. */
    void setEnds(Map<TopicPartition, Long> topicEnds) {
        ends = Map.copyOf(topicEnds);
    }

    boolean hasEnds() {
        return !ends.isEmpty();
    }

    /** Whether the partition was read to its end; its later messages are ignored. */
    boolean isAtEnd(int partition) {
        Long end = ends.get(topicPartition(partition));
        return end != null && consumer.position(topicPartition(partition), ANSWER_LIMIT) >= end;
    }

    /** Gives back the partitions whose events are all in files, for a sink that has an end. */
    void releaseFinished() {
        for (PartitionReader reader : List.copyOf(readers.values())) {
            if (isAtEnd(reader.partition()) && reader.openSegments() == 0) {
                consumer.pause(Set.of(topicPartition(reader.partition())));
                release(reader.partition());
            }
        }
    }

    boolean isEverythingReleased() {
        return unopened.isEmpty() && readers.isEmpty();
    }

    /** Whether instances share the partitions by the locks alone: each takes one after the other. */
    private boolean isShared() {
        return request.mode() == SinkRequest.Mode.CATCH_UP;
    }

    /** The partitions of the topic of events. */
    List<TopicPartition> all(int partitions) {
        return IntStream.range(0, partitions).mapToObj(this::topicPartition).toList();
    }

    TopicPartition topicPartition(int partition) {
        return new TopicPartition(request.topics().events(), partition);
    }

    /** Starts to read the assigned partitions whose lock is free. */
    void open() throws IOException, SinkException {
        IOException failed = failure;
        if (failed != null) {
            failure = null;
            throw failed;
        }
        SinkException refused = refusal;
        if (refused != null) {
            throw refused;
        }
        if (!unopened.isEmpty() && !groupFolder.isConfirmed(unopened)) {
            return;
        }
        OptionalInt locked = OptionalInt.empty();
        for (int partition : List.copyOf(unopened)) {
            if (isShared() && !readers.isEmpty()) {
                return;
            }
            if (!takeLock(partition)) {
                if (isFinishedByOther(partition)) {
                    unopened.remove(partition);
                } else {
                    locked = OptionalInt.of(partition);
                }
                continue;
            }
            try {
                start(partition);
            } catch (TimeoutException e) {
                return; // the broker does not answer; TopicWatch reports it
            }
        }
        if (locked.isPresent()) {
            reportLocked(locked.getAsInt());
        } else {
            waits.end(SinkWait.LOCK);
        }
    }

    /** Whether the owner of the partition's lock has all events in files that are to be read. */
    private boolean isFinishedByOther(int partition) throws IOException {
        Long end = ends.get(topicPartition(partition));
        return end != null
                && folder.positionFile(partition)
                        .read()
                        .filter(position -> position.lowWater() >= end)
                        .isPresent();
    }

    private boolean takeLock(int partition) throws IOException {
        if (request.mode() == SinkRequest.Mode.WINDOW || locks.containsKey(partition)) {
            return true;
        }
        Optional<HeldLock> lock = folder.tryLock(partition);
        if (lock.isPresent()) {
            locks.put(partition, lock.get());
            return true;
        }
        return false;
    }

    private void reportLocked(int partition) throws IOException {
        waits.begin(
                SinkWait.LOCK,
                "partition " + partition + " is still locked by " + folder.lockOwner(partition) + " ("
                        + folder.lockFile(partition) + ")",
                "waiting until that process ends or releases it. If it is frozen or stuck, end it");
    }

    private void start(int partition) throws IOException, SinkException {
        TopicPartition topicPartition = topicPartition(partition);
        Set<TopicPartition> one = Set.of(topicPartition);
        long beginning = consumer.beginningOffsets(one, ANSWER_LIMIT).getOrDefault(topicPartition, 0L);
        long end = consumer.endOffsets(one, ANSWER_LIMIT).getOrDefault(topicPartition, 0L);
        Position position = new Position(0, List.of());
        long first = beginning;
        if (request.mode() == SinkRequest.Mode.WINDOW) {
            first = windowStart(topicPartition, beginning, end);
        } else {
            Optional<Position> known = folder.positionFile(partition).read();
            position = known.orElse(position);
            folder.deleteOrphanFiles(partition, position);
            if (known.isPresent()) {
                first = resume(partition, position.lowWater(), beginning, end);
            }
        }
        PartitionReader reader = new PartitionReader(
                partition, request.rolling(), request.framing(), spools, wanted, metadata, listener, counts);
        reader.start(position, first);
        consumer.seek(topicPartition, first);
        if (!isAtEnd(partition)) {
            consumer.resume(one);
        }
        readers.put(partition, reader);
        unopened.remove(partition);
        if (isShared()) {
            listener.assigned(Set.of(partition));
        }
    }

    private long resume(int partition, long lowWater, long beginning, long end) throws SinkException {
        if (lowWater > end) {
            throw beyondEnd(partition, lowWater, end);
        }
        if (lowWater < beginning) {
            reportLost(partition, lowWater, beginning);
        }
        return Math.max(lowWater, beginning);
    }

    private long windowStart(TopicPartition partition, long beginning, long end) {
        Instant from = request.window().from().orElse(null);
        if (from == null) {
            return beginning;
        }
        long fromMs = from.minus(WINDOW_MARGIN).toEpochMilli();
        OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(partition, fromMs), ANSWER_LIMIT)
                .get(partition);
        return found == null ? end : found.offset();
    }

    /** Handles a position outside of the topic: retention deleted it, or the topic was made again. */
    void outOfRange(Set<TopicPartition> partitions) throws SinkException {
        for (TopicPartition partition : partitions) {
            Set<TopicPartition> one = Set.of(partition);
            long beginning = consumer.beginningOffsets(one, ANSWER_LIMIT).getOrDefault(partition, 0L);
            long end = consumer.endOffsets(one, ANSWER_LIMIT).getOrDefault(partition, 0L);
            long next = consumer.position(partition, ANSWER_LIMIT);
            if (next > end) {
                throw beyondEnd(partition.partition(), next, end);
            }
            if (next < beginning) {
                reportLost(partition.partition(), next, beginning);
                consumer.seek(partition, beginning);
            }
        }
    }

    private void reportLost(int partition, long fromOffset, long toOffset) {
        counts.lostToRetention += toOffset - fromOffset;
        listener.lostToRetention(partition, fromOffset, toOffset);
    }

    private SinkException beyondEnd(int partition, long position, long end) {
        return new SinkException(
                "cannot continue with partition " + partition + " of "
                        + request.topics().events() + ": " + request.folder()
                        + " holds it up to offset " + position + ", but it ends at " + end
                        + "; the topic was made again, or lost acknowledged messages. Start a sink with another"
                        + " folder",
                null);
    }

    /** Drops everything that is not in finished files; the next {@link #open} reads all partitions again. */
    void restart() throws IOException {
        for (PartitionReader reader : readers.values()) {
            reader.drop();
            consumer.pause(List.of(topicPartition(reader.partition())));
            unopened.add(reader.partition());
        }
        readers.clear();
    }

    /** Drops everything that is not in finished files and releases the locks; returns the number of events dropped. */
    long releaseAll() throws IOException {
        isReleased = true;
        long droppedEvents = 0;
        Set<Integer> all = new TreeSet<>(locks.keySet());
        all.addAll(readers.keySet());
        for (int partition : all) {
            droppedEvents += release(partition);
        }
        IOException failed = failure;
        if (failed != null) {
            throw failed;
        }
        return droppedEvents;
    }

    private long release(int partition) {
        unopened.remove(partition);
        PartitionReader reader = readers.remove(partition);
        HeldLock lock = locks.remove(partition);
        long droppedEvents = 0;
        // Also called inside the consumer's poll, which would wrap an exception.
        try (lock) {
            if (reader != null) {
                droppedEvents = reader.drop();
            }
        } catch (IOException e) {
            failure = e;
        }
        return droppedEvents;
    }

    private static Set<Integer> partitionNumbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(Collectors.toCollection(TreeSet::new));
    }
}
