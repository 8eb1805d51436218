package dev.probestream.sink;

import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.metadata.MetadataTopic;
import dev.probestream.sink.position.Position;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;

/** The loop of a sink, on one thread: polls both topics, collects events into segments, and finishes the segments. */
final class SinkLoop {
    private static final Duration POLL = Duration.ofMillis(200);
    /** While a segment waits for its metadata, which comes on another consumer. */
    private static final Duration SHORT_POLL = Duration.ofMillis(10);

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    private static final int MAX_IDLE_LOADED = 256;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SinkRequest request;
    private final SinkListener listener;
    private final GroupFolder groupFolder;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final MetadataTopic metadata;
    private final Assignment assignment;
    private final MetadataWait metadataWait;
    private final SegmentFinisher finisher;
    private final FileMaker files;
    private final TopicWatch watch;
    private final WaitReports waits;
    private final Counts counts;
    private final FaultPoints faultPoints;
    private final DiskPause diskPause;
    private final BooleanSupplier stopped;
    private boolean isMetadataRead;
    private boolean isDone;
    private boolean isCommitDue;
    /** Messages of the assigned partitions that were not read in the last round. */
    private long unread;

    private long progressNanos = System.nanoTime();

    /** Thrown out of a conversion, whose progress callback may throw no checked exception, because the sink was stopped. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StoppedException() {
            super("the sink was stopped", null, false, false);
        }
    }

    SinkLoop(SinkParts parts, BooleanSupplier stopped) {
        this.request = parts.request();
        this.listener = parts.listener();
        this.groupFolder = parts.groupFolder();
        this.consumer = parts.consumer();
        this.metadata = parts.metadata();
        this.assignment = parts.assignment();
        this.metadataWait = new MetadataWait(parts.metadata(), parts.waits());
        this.finisher = parts.finisher(() -> {
            if (stopped.getAsBoolean()) {
                throw new StoppedException();
            }
        });
        this.files = parts.files();
        this.watch = parts.watch();
        this.waits = parts.waits();
        this.counts = parts.counts();
        this.faultPoints = parts.faultPoints();
        this.diskPause = new DiskPause(parts.request().folder(), parts.waits());
        this.stopped = stopped;
    }

    /** Runs until the sink is stopped or the mode's end is reached. */
    void run(TopicWatch.Topic topic) throws IOException, SinkException {
        Runnable checkStop = () -> {
            if (stopped.getAsBoolean()) {
                throw new StoppedException();
            }
        };
        try (MetadataTombstones tombstones = new MetadataTombstones(
                new KafkaSettings(request).producer(),
                consumer,
                metadata,
                listener,
                checkStop,
                assignment.all(topic.partitions()))) {
            begin(topic);
            while (!stopped.getAsBoolean() && !isDone) {
                Optional<TopicWatch.Change> change = watch.check();
                if (change.isPresent()) {
                    throw endWithoutTopic(change.get());
                }
                waits.check();
                round();
                if (isMetadataRead && request.mode() == SinkRequest.Mode.FOLLOW) {
                    tombstones.step();
                }
            }
        } catch (StoppedException e) {
            files.clear();
        } catch (LoadingMetadata.TopicChangedException e) {
            Optional<TopicWatch.Change> change = watch.change();
            if (change.isPresent()) {
                throw endWithoutTopic(change.get());
            }
            if (e.getCause() instanceof SinkException refused) {
                throw refused;
            }
            throw e;
        }
    }

    /** The time of the oldest event in the topic; now if it has none. */
    private long earliestEventMs(int partitions) {
        Map<TopicPartition, Long> anyTime = new HashMap<>();
        assignment.all(partitions).forEach(partition -> anyTime.put(partition, 0L));
        long earliestMs = System.currentTimeMillis();
        for (OffsetAndTimestamp first :
                consumer.offsetsForTimes(anyTime, ANSWER_LIMIT).values()) {
            if (first != null) {
                earliestMs = Math.min(earliestMs, first.timestamp());
            }
        }
        return earliestMs;
    }

    private void begin(TopicWatch.Topic topic) throws IOException, SinkException {
        metadata.begin(Uuid.fromString(topic.metadataId()), () -> earliestEventMs(topic.partitions()));
        switch (request.mode()) {
            case FOLLOW -> {
                refuseOtherFolder();
                consumer.subscribe(List.of(request.topics().events()), assignment);
            }
            case CATCH_UP, WINDOW -> {
                refuseOtherFolder();
                List<TopicPartition> all = assignment.all(topic.partitions());
                consumer.assign(all);
                assignment.onPartitionsAssigned(all);
            }
        }
    }

    /** Before this instance joins the group, so that the other members are not disturbed. */
    private void refuseOtherFolder() throws IOException, SinkException {
        try {
            groupFolder.isConfirmed(Set.of());
        } catch (TimeoutException e) {
            // The broker does not answer: Assignment tries again.
        }
    }

    private void round() throws IOException, SinkException {
        try {
            if (!diskPause.isOver()) {
                consumer.poll(POLL); // all partitions are paused: polls only to stay in the group
            } else if (isMetadataRead) {
                queryEnds();
                assignment.open();
                work();
            } else {
                readMetadata();
            }
        } catch (IOException e) {
            if (!DiskPause.isDiskFull(e)) {
                throw e;
            }
            diskPause.begin(e);
            files.clear();
            assignment.restart();
            metadata.restart();
            isMetadataRead = false;
        } catch (TimeoutException e) {
            // The broker does not answer: TopicWatch reports it.
        }
    }

    /** Indexes what is new in the metadata topic first: only then is it known which captures have ended. */
    private void readMetadata() throws IOException {
        metadata.poll(POLL);
        metadata.takeNewEnds(); // readers that are opened later look them up
        isMetadataRead = metadata.position(ANSWER_LIMIT) >= metadata.endOffset(ANSWER_LIMIT);
    }

    private void work() throws IOException, SinkException {
        boolean isWaiting = assignment.readers().stream()
                .anyMatch(reader -> !reader.closed().isEmpty());
        try {
            take(consumer.poll(isWaiting || isAnyAtEnd() ? SHORT_POLL : POLL));
        } catch (OffsetOutOfRangeException e) {
            if (watch.checkNow().isEmpty()) {
                assignment.outOfRange(e.offsetOutOfRangePartitions().keySet());
            }
        }
        if (watch.change().isPresent()) {
            return;
        }
        countUnread();
        metadata.poll(Duration.ZERO);
        closeSegments();
        metadataWait.queryEnd(assignment.readers());
        finishSegments();
        forgetIdle();
        commit();
        report();
        assignment.releaseFinished();
        isDone = assignment.hasEnds() && assignment.isEverythingReleased();
    }

    private boolean isAnyAtEnd() {
        return assignment.readers().stream().anyMatch(reader -> assignment.isAtEnd(reader.partition()));
    }

    /**
     * Finishes the segments that were read from a topic that no longer exists, with the metadata that has arrived: they
     * cannot be read again.
     */
    private SinkException endWithoutTopic(TopicWatch.Change change) throws IOException {
        if (!change.isOfEvents()) {
            return new SinkException(
                    "cannot continue: " + change.reason() + "; events that are not in files yet are still in "
                            + request.topics().events()
                            + ", but their captures, probes and stacks may be lost; start the sink"
                            + " again to write them",
                    null);
        }
        long eventsBefore = counts.eventsFinished;
        long nowNanos = System.nanoTime();
        for (PartitionReader reader : List.copyOf(assignment.readers())) {
            reader.closeAll(nowNanos);
            for (ClosedSegment closed : List.copyOf(reader.closed())) {
                finisher.finish(closed);
            }
        }
        return new SinkException(
                "cannot continue: " + change.reason() + ", so the positions in the folder are no longer valid; "
                        + (counts.eventsFinished - eventsBefore)
                        + " events that had been read were written to files, " + unread
                        + " messages that were in the topic had not been read; start a sink with another folder",
                null);
    }

    private void countUnread() {
        unread = 0;
        for (PartitionReader reader : assignment.readers()) {
            unread += consumer.currentLag(assignment.topicPartition(reader.partition()))
                    .orElse(0);
        }
    }

    private void take(ConsumerRecords<byte[], byte[]> records) throws IOException {
        long nowNanos = System.nanoTime();
        for (TopicPartition partition : records.partitions()) {
            PartitionReader reader = assignment.reader(partition.partition());
            if (reader != null) {
                for (ConsumerRecord<byte[], byte[]> message : records.records(partition)) {
                    reader.take(message, nowNanos);
                }
            }
        }
    }

    private void closeSegments() {
        long nowNanos = System.nanoTime();
        Map<Long, Long> ends = metadata.takeNewEnds();
        for (PartitionReader reader : assignment.readers()) {
            ends.forEach(reader::end);
            TopicPartition partition = assignment.topicPartition(reader.partition());
            boolean isReadToEnd = consumer.currentLag(partition).orElse(1) == 0;
            reader.closeSegments(nowNanos, isReadToEnd);
            if (assignment.isAtEnd(reader.partition())) {
                consumer.pause(Set.of(partition));
                reader.closeAll(nowNanos);
            }
        }
    }

    /** Forgets what is known of captures that are not being read; it is loaded again when events of them come. */
    private void forgetIdle() throws IOException {
        if (metadata.store().size() <= MAX_IDLE_LOADED) {
            return;
        }
        Set<Long> inUse = new HashSet<>();
        for (PartitionReader reader : assignment.readers()) {
            for (CaptureReader capture : reader.captures()) {
                if (!capture.isIdle()) {
                    inUse.add(capture.captureId());
                }
            }
        }
        metadata.store().trim(MAX_IDLE_LOADED, inUse::contains);
    }

    private void finishSegments() throws IOException {
        boolean isAnyWaiting = false;
        for (PartitionReader reader : List.copyOf(assignment.readers())) {
            Set<Long> waiting = new HashSet<>();
            for (ClosedSegment closed : List.copyOf(reader.closed())) {
                long captureId = closed.segment().captureId();
                if (waiting.contains(captureId) || !metadataWait.isOver(closed, System.nanoTime())) {
                    waiting.add(captureId); // the segments of a capture are finished in their order
                } else {
                    finish(closed);
                }
            }
            finisher.finishCaptures(reader);
            isAnyWaiting |= !waiting.isEmpty();
        }
        if (!isAnyWaiting) {
            waits.end(SinkWait.METADATA);
        }
    }

    private void finish(ClosedSegment closed) throws IOException {
        if (stopped.getAsBoolean()) {
            throw new StoppedException();
        }
        finisher.finish(closed);
        diskPause.succeeded();
        isCommitDue = true;
    }

    /** The offsets are for monitors of the group's lag: a restart reads the position file. */
    private void commit() throws IOException {
        if (!isCommitDue || request.group().isEmpty()) {
            return;
        }
        faultPoints.before(FaultPoints.Step.COMMIT);
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (PartitionReader reader : assignment.readers()) {
            Position position = reader.position();
            offsets.put(
                    assignment.topicPartition(reader.partition()),
                    new OffsetAndMetadata(position.lowWater(), groupFolder.metadata()));
        }
        consumer.commitAsync(offsets, (committed, failure) -> {});
        isCommitDue = false;
    }

    private void report() {
        long nowNanos = System.nanoTime();
        if (nowNanos - progressNanos < PROGRESS_NANOS) {
            return;
        }
        progressNanos = nowNanos;
        Map<Integer, Long> lags = new HashMap<>();
        int openSegments = 0;
        for (PartitionReader reader : assignment.readers()) {
            reader.forgetOld();
            openSegments += reader.openSegments();
            TopicPartition partition = assignment.topicPartition(reader.partition());
            consumer.currentLag(partition).ifPresent(unread -> {
                long lag = unread
                        + consumer.position(partition, ANSWER_LIMIT)
                        - reader.position().lowWater();
                lags.put(reader.partition(), lag);
            });
        }
        listener.progress(new SinkProgress(counts.eventsRead, counts.bytesRead, openSegments, lags));
    }

    /** Before messages are asked for: the broker answers a query only after the request before it, which it may keep a while. */
    private void queryEnds() {
        if (request.mode() != SinkRequest.Mode.FOLLOW && !assignment.hasEnds()) {
            assignment.setEnds(consumer.endOffsets(consumer.assignment(), ANSWER_LIMIT));
        }
    }
}
