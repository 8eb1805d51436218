package dev.probestream.sink.spool;

import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of one segment: in memory while they are few, then in recordings. There are several recordings if the spool's
 * writer was closed in between to make room for another spool.
 */
public final class Spool {
    /** A capture with few events opens no file before its segment is closed. */
    private static final int MAX_STAGED_BYTES = 32 * 1024;

    private static final int INITIAL_STAGED_BYTES = 256;
    private static final int INITIAL_STAGED_EVENTS = 16;
    private static final int MAX_STAGED_EVENTS = MAX_STAGED_BYTES / 16;

    private final SpoolFolder folder;
    private final String name;
    private final List<Path> recordings = new ArrayList<>();
    private @Nullable RecordingWriter writer;
    /** Each event has one free byte in front, which the writer needs. */
    private byte[] staged = new byte[INITIAL_STAGED_BYTES];

    private int stagedBytes;
    private int[] stagedEnds = new int[INITIAL_STAGED_EVENTS];
    private int stagedEvents;
    private long usedAt;

    Spool(SpoolFolder folder, String name) {
        this.folder = folder;
        this.name = name;
    }

    /** Copies the event; the byte before {@code offset} may be overwritten. */
    public void append(byte[] buffer, int offset, int lengthBytes) throws IOException {
        usedAt = folder.tick();
        if (writer == null) {
            if (stagedEvents < MAX_STAGED_EVENTS && stagedBytes + lengthBytes < MAX_STAGED_BYTES) {
                stage(buffer, offset, lengthBytes);
                return;
            }
            unstage();
        }
        openWriter().appendEncodedEvent(buffer, offset, lengthBytes);
    }

    /** Completes the spool and returns its recordings in order; nothing can be appended afterwards. */
    public List<Path> finish() throws IOException {
        unstage();
        closeWriter();
        staged = new byte[0];
        return List.copyOf(recordings);
    }

    /** Deletes the recordings and drops what is in memory. */
    public void delete() throws IOException {
        RecordingWriter open = writer;
        writer = null;
        if (open != null) {
            folder.closed(this);
        }
        try (open) {
            stagedEvents = 0;
            stagedBytes = 0;
        } catch (RecordingException e) {
            // The disk may have no room for the last block, but the file is deleted anyway.
        }
        for (Path recording : recordings) {
            Files.deleteIfExists(recording);
        }
        recordings.clear();
    }

    long usedAt() {
        return usedAt;
    }

    void closeWriter() throws IOException {
        RecordingWriter open = writer;
        writer = null;
        if (open != null) {
            folder.closed(this);
            open.close();
        }
    }

    private void stage(byte[] buffer, int offset, int lengthBytes) {
        int end = stagedBytes + 1 + lengthBytes;
        if (end > staged.length) {
            staged = Arrays.copyOf(staged, Math.max(2 * staged.length, end));
        }
        System.arraycopy(buffer, offset, staged, stagedBytes + 1, lengthBytes);
        if (stagedEvents == stagedEnds.length) {
            stagedEnds = Arrays.copyOf(stagedEnds, 2 * stagedEnds.length);
        }
        stagedEnds[stagedEvents++] = end;
        stagedBytes = end;
    }

    private void unstage() throws IOException {
        if (stagedEvents == 0) {
            return;
        }
        RecordingWriter open = openWriter();
        int start = 0;
        for (int event = 0; event < stagedEvents; event++) {
            open.appendEncodedEvent(staged, start + 1, stagedEnds[event] - start - 1);
            start = stagedEnds[event];
        }
        stagedEvents = 0;
        stagedBytes = 0;
    }

    private RecordingWriter openWriter() throws IOException {
        RecordingWriter open = writer;
        if (open == null) {
            folder.makeRoom();
            Path recording = folder.path().resolve(name + "-" + recordings.size() + ".avro");
            recordings.add(recording);
            open = RecordingWriter.create(recording);
            writer = open;
            folder.opened(this);
        }
        return open;
    }
}
