package dev.probestream.sink.metadata;

import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.message.MessageFormatException;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.sink.position.FolderTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The metadata of all captures that are not complete: their messages on disk, and a small index in memory. */
public final class MetadataStore {
    /** Called for messages that cannot be read. */
    public interface UnreadableMessages {
        void unreadable(long offset, String reason);
    }

    private static final CaptureMetadata UNKNOWN = new CaptureMetadata();

    private final Path folder;
    private final UnreadableMessages listener;
    private final Map<Long, CaptureMetadata> captures = new HashMap<>();
    private final Map<Long, CaptureLog> logs = new HashMap<>();
    private final Set<CaptureLog> unflushed = new LinkedHashSet<>();

    private MetadataStore(Path folder, UnreadableMessages listener) {
        this.folder = folder;
        this.listener = listener;
    }

    /** An empty store in {@code folder}, which is created. */
    static MetadataStore create(Path folder, UnreadableMessages listener) throws IOException {
        return new MetadataStore(PrivateFiles.createFolders(folder), listener);
    }

    /** The metadata of a capture; an empty one if none has arrived. */
    public CaptureMetadata of(long captureId) {
        return captures.getOrDefault(captureId, UNKNOWN);
    }

    /** Adds a message; {@link #flush} must be called before it can be read. */
    void add(long offset, byte @Nullable [] key, byte @Nullable [] value) throws IOException {
        long captureId;
        try {
            captureId = MetadataMessage.captureId(key == null ? new byte[0] : key);
            CaptureMetadata known = captures.get(captureId);
            if (value == null && known == null) {
                return; // the tombstone of a capture that is complete or unknown
            }
            CaptureMetadata capture = known == null ? new CaptureMetadata() : known;
            if (value != null) {
                MetadataMessage.read(value, capture.index());
            }
            capture.arrived(System.nanoTime());
            captures.put(captureId, capture);
        } catch (MessageFormatException e) {
            listener.unreadable(offset, String.valueOf(e.getMessage()));
            return;
        }
        CaptureLog log = logs.computeIfAbsent(captureId, id -> new CaptureLog(folder.resolve(id + ".log")));
        log.append(offset, key == null ? new byte[0] : key, value);
        unflushed.add(log);
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
     * @param firstLossOffset losses at lower offsets of the topic are left out
     * @param isWithEnd whether the recording includes the capture's end
     */
    public MetadataRecording write(long captureId, Path path, long firstLossOffset, boolean isWithEnd)
            throws IOException {
        CaptureLog log = logs.get(captureId);
        return RecordingOfLog.write(
                log == null ? new CaptureLog(path.resolveSibling("none.log")) : log, path, firstLossOffset, isWithEnd);
    }

    /** Deletes the metadata of a capture that is complete. */
    public void forget(long captureId) throws IOException {
        captures.remove(captureId);
        CaptureLog log = logs.remove(captureId);
        if (log != null) {
            unflushed.remove(log);
            log.delete();
        }
    }

    /** Empties it, and its folder. */
    void clear() throws IOException {
        captures.clear();
        logs.clear();
        unflushed.clear();
        FolderTree.delete(folder);
        PrivateFiles.createFolders(folder);
    }
}
