package dev.probestream.sink.spool;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The spools of an instance. Any number of captures may be interleaved, but only {@value #MAX_OPEN_WRITERS} of their
 * recordings are open at once, because each open one takes half a megabyte: the least recently written one is closed, and
 * its spool continues in another recording.
 */
public final class SpoolFolder {
    private static final int MAX_OPEN_WRITERS = 32;

    private final Path path;
    private final Set<Spool> open = new HashSet<>();
    private long ticks;
    private long spools;

    private SpoolFolder(Path path) {
        this.path = path;
    }

    /** Creates the folder. */
    public static SpoolFolder create(Path path) throws IOException {
        return new SpoolFolder(PrivateFiles.createFolders(path));
    }

    /** An empty spool; it has no file yet. */
    public Spool spool(int partition, long captureId) {
        return new Spool(this, "p" + partition + "-c" + captureId + "-" + spools++);
    }

    Path path() {
        return path;
    }

    long tick() {
        return ++ticks;
    }

    void opened(Spool spool) {
        open.add(spool);
    }

    void closed(Spool spool) {
        open.remove(spool);
    }

    void makeRoom() throws IOException {
        if (open.size() < MAX_OPEN_WRITERS) {
            return;
        }
        Spool oldest = null;
        for (Spool spool : open) {
            if (oldest == null || spool.usedAt() < oldest.usedAt()) {
                oldest = spool;
            }
        }
        if (oldest != null) {
            oldest.closeWriter();
        }
    }
}
