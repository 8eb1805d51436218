package dev.probestream.sink;

import dev.probestream.sink.position.SinkFolder;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;

/**
 * Ties a consumer group to one folder: members with other folders would each get a part of the events. The folder's id is
 * stored in Kafka as the metadata of the group's committed offsets. The one of partition {@value #DECIDING} decides:
 * Kafka accepts it only from the member that the partition is assigned to, so of several folders one is first.
 */
final class GroupFolder {
    private static final int DECIDING = 0;
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
    private static final long REPORT_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The broker's offset.metadata.max.bytes is 4096 by default. */
    private static final int MAX_PLACE_LENGTH = 1000;

    private static final String PREFIX = "folder ";

    private final SinkRequest request;
    private final TopicPartition decidingPartition;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final SinkFolder folder;
    private final WaitReports waits;
    private @Nullable String id;
    private boolean isConfirmed;
    private long unconfirmedSinceNanos;

    GroupFolder(SinkRequest request, KafkaConsumer<byte[], byte[]> consumer, SinkFolder folder, WaitReports waits) {
        this.request = request;
        this.decidingPartition = new TopicPartition(request.topics().events(), DECIDING);
        this.consumer = consumer;
        this.folder = folder;
        this.waits = waits;
        this.isConfirmed = request.group().isEmpty();
    }

    /** The metadata of the offsets that this member commits: {@code folder ID HOST:PATH}. */
    String metadata() throws IOException {
        if (id == null) {
            id = folder.id();
        }
        String place = folder.place();
        return PREFIX + id + " " + place.substring(0, Math.min(place.length(), MAX_PLACE_LENGTH));
    }

    /**
     * Whether the group is known to write to this folder. If the group has no folder yet, the member with partition
     * {@value #DECIDING} claims it.
     *
     * @param assigned the partitions of this member; empty if it is not a member yet
     * @throws SinkException if the group writes to another folder
     * @throws org.apache.kafka.common.errors.TimeoutException if the broker does not answer
     */
    boolean isConfirmed(Set<Integer> assigned) throws IOException, SinkException {
        if (isConfirmed) {
            return true;
        }
        OffsetAndMetadata committed =
                consumer.committed(Set.of(decidingPartition), ANSWER_LIMIT).get(decidingPartition);
        String claim = committed == null ? "" : committed.metadata();
        if (claim.startsWith(PREFIX)) {
            requireThisFolder(claim.substring(PREFIX.length()));
            isConfirmed = true;
        } else if (assigned.contains(DECIDING)) {
            isConfirmed = claim(committed);
        }
        if (isConfirmed) {
            waits.end(SinkWait.GROUP);
        } else if (!assigned.isEmpty()) {
            reportWait();
        }
        return isConfirmed;
    }

    private boolean claim(@Nullable OffsetAndMetadata committed) throws IOException {
        long offset = committed == null
                ? folder.positionFile(DECIDING)
                        .read()
                        .map(position -> position.lowWater())
                        .orElse(0L)
                : committed.offset();
        try {
            consumer.commitSync(Map.of(decidingPartition, new OffsetAndMetadata(offset, metadata())), ANSWER_LIMIT);
            return true;
        } catch (CommitFailedException | RebalanceInProgressException e) {
            return false; // the partition may belong to another member now
        }
    }

    private void requireThisFolder(String claim) throws IOException, SinkException {
        String owner = claim.substring(0, Math.max(0, claim.indexOf(' ')));
        if (!owner.equals(folder.id())) {
            String ownerPlace = claim.substring(owner.length()).strip();
            throw new SinkException(
                    "cannot write to " + folder.place() + " as a member of the consumer group " + request.group() + ": "
                            + (ownerPlace.length() >= MAX_PLACE_LENGTH || folder.isThere(owner, ownerPlace)
                                    ? "the group writes to " + ownerPlace
                                            + ", and each of two folders would get only a part of the events. Use that"
                                            + " folder, or another group for this one (--group NAME)"
                                    : "the group wrote to " + ownerPlace
                                            + ", which was deleted, moved or made again since. Use the folder at its new"
                                            + " place, or another group for this one (--group NAME): a folder that is new"
                                            + " reads the topic from its beginning"),
                    null);
        }
    }

    private void reportWait() {
        long nowNanos = System.nanoTime();
        if (unconfirmedSinceNanos == 0) {
            unconfirmedSinceNanos = nowNanos;
        } else if (nowNanos - unconfirmedSinceNanos > REPORT_AFTER_NANOS) {
            waits.begin(
                    SinkWait.GROUP,
                    "the consumer group " + request.group() + " has not stored its folder yet",
                    "waiting for its member with partition " + DECIDING + " (all members must be of this version)");
        }
    }
}
