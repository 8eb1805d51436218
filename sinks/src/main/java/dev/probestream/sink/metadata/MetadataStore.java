package dev.probestream.sink.metadata;

import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.message.MessageFormatException;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.sink.position.FolderTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The metadata of the captures whose events are being read: their messages on disk, and a small summary in memory. */
public final class MetadataStore {
    /** Called for messages that cannot be read. */
    public interface UnreadableMessages {
        void unreadable(long offset, String reason);
    }

    private static final CaptureMetadata UNKNOWN = new CaptureMetadata();

    private final String topic;
    private final MessageFraming framing;
    private final Path folder;
    private final UnreadableMessages listener;
    /** By capture id, the least recently used first. */
    private final Map<Long, LoadedCapture> captures = new LinkedHashMap<>(16, 0.75f, true);

    private final Set<CaptureLog> unflushed = new LinkedHashSet<>();

    private record LoadedCapture(CaptureMetadata metadata, CaptureLog log) {}

    private MetadataStore(String topic, MessageFraming framing, Path folder, UnreadableMessages listener) {
        this.topic = topic;
        this.framing = framing;
        this.folder = folder;
        this.listener = listener;
    }

    /** An empty store of a topic's records in {@code folder}, which is created. */
    static MetadataStore create(String topic, MessageFraming framing, Path folder, UnreadableMessages listener)
            throws IOException {
        return new MetadataStore(topic, framing, PrivateFiles.createFolders(folder), listener);
    }

    /** The metadata of a capture; an empty one if it is not loaded. */
    public CaptureMetadata of(long captureId) {
        LoadedCapture loaded = captures.get(captureId);
        return loaded == null ? UNKNOWN : loaded.metadata;
    }

    public boolean isLoaded(long captureId) {
        return captures.containsKey(captureId);
    }

    /**
     * Must be called for an event of a schema that is unknown, when the metadata of its capture is loaded.
     *
     * @throws NewerCaptureException if a newer version wrote the capture
     */
    public void refuseIfNewer(long captureId) throws NewerCaptureException {
        FormatStamp stamp = of(captureId).stamp();
        if (stamp.isNewer()) {
            throw new NewerCaptureException(topic, captureId, stamp);
        }
    }

    /** How many captures are loaded. */
    public int size() {
        return captures.size();
    }

    /** Accepts messages of a capture from now on. */
    void begin(long captureId) {
        captures.put(
                captureId,
                new LoadedCapture(new CaptureMetadata(), new CaptureLog(folder.resolve(captureId + ".log"))));
    }

    /**
     * Adds a message of a loaded capture; {@link #flush} must be called before it can be read. Tombstones are ignored:
     * they are written when the topic has no more events of the capture, but a segment of it may still be open here.
     *
     * @throws NewerCaptureException if this version does not read what a newer one wrote
     */
    void add(long captureId, ConsumerRecord<byte[], byte[]> message) throws IOException {
        LoadedCapture loaded = captures.get(captureId);
        byte[] key = message.key();
        byte[] value = message.value();
        if (loaded == null || key == null || value == null) {
            return;
        }
        long offset = message.offset();
        FormatStamp stamp = CaptureMessage.stamp(message);
        if (!stamp.isReadable()) {
            if (stamp.isNewer()) {
                throw new NewerCaptureException(topic, captureId, stamp);
            }
            listener.unreadable(offset, stamp.refusal());
            return;
        }
        loaded.metadata.stamped(stamp);
        try {
            MetadataMessage.read(value, framing, loaded.metadata.index());
        } catch (MessageFormatException e) {
            if (e.isSchemaUnknown() && stamp.isNewer()) {
                throw new NewerCaptureException(topic, captureId, stamp);
            }
            listener.unreadable(offset, String.valueOf(e.getMessage()));
            return;
        }
        loaded.metadata.arrived(offset, System.nanoTime());
        loaded.log.append(offset, key, value);
        unflushed.add(loaded.log);
    }

    void flush() throws IOException {
        for (CaptureLog log : unflushed) {
            log.flush();
        }
        unflushed.clear();
    }

    /**
     * Writes the metadata of a capture into a recording.
     *
     * @param firstDatedOffset losses, sums, gaps and costs at lower offsets of the topic are left out
     * @param isWithEnd whether the recording includes the capture's end
     */
    public MetadataRecording write(long captureId, Path path, long firstDatedOffset, boolean isWithEnd)
            throws IOException {
        LoadedCapture loaded = captures.get(captureId);
        return RecordingOfLog.write(
                loaded == null ? new CaptureLog(path.resolveSibling("none.log")) : loaded.log,
                framing,
                path,
                firstDatedOffset,
                isWithEnd);
    }

    /** Deletes the metadata of a capture; it can be loaded again. */
    public void forget(long captureId) throws IOException {
        LoadedCapture loaded = captures.remove(captureId);
        if (loaded != null) {
            unflushed.remove(loaded.log);
            loaded.log.delete();
        }
    }

    /** Forgets the least recently used captures beyond {@code limit}, but none that is in use. */
    public void trim(int limit, LongPredicate isInUse) throws IOException {
        int excess = captures.size() - limit;
        if (excess <= 0) {
            return;
        }
        for (long captureId : List.copyOf(captures.keySet())) {
            if (excess > 0 && !isInUse.test(captureId)) {
                forget(captureId);
                excess--;
            }
        }
    }

    /** Empties it, and its folder. */
    void clear() throws IOException {
        captures.clear();
        unflushed.clear();
        FolderTree.delete(folder);
        PrivateFiles.createFolders(folder);
    }
}
