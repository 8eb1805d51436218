package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Publishes into a ring of recordings in a folder: each begins with a Capture or a Keyframe and can be read by itself, and
 * the oldest is deleted when it is older than is wanted or when all take too much space. What is there when the ring is
 * opened, from an earlier run, is a part of it.
 *
 * <p>A kill of this process loses what was published since the last {@link #flush}, a crash of the machine at most the last
 * {@value #SYNC_EVERY_S} seconds. One process at a time writes into a folder.
 */
public final class RingPublisher implements EventPublisher {
    /** The names of the recordings rise with the time. */
    private static final String NAMES = "\\d{10}\\.avro";

    private static final int SYNC_EVERY_S = 10;
    private static final long NS_PER_MS = 1_000_000L;
    private static final long NS_PER_S = 1_000_000_000L;

    /**
     * What a ring holds.
     *
     * @param keep a recording that ended longer ago is deleted
     * @param maxBytes all together take no more, but for what is published in a second
     * @param minFreeBytes of the disk so much stays free, as long as there is a recording to delete
     */
    public record Bounds(Duration keep, long maxBytes, long minFreeBytes) {
        /** Checks the values. */
        public Bounds {
            if (keep.isNegative() || keep.isZero() || maxBytes <= 0 || minFreeBytes < 0) {
                throw new IllegalArgumentException(
                        "a ring of " + keep + ", " + maxBytes + " bytes, leaving " + minFreeBytes + " bytes free");
            }
        }
    }

    /** A recording that is complete. */
    private record Segment(Path file, long bytes, long endedNs) {}

    private final Path folder;
    private final Bounds bounds;
    private final Consumer<String> notices;
    private final LongSupplier nanoTime;
    private final FileChannel lock;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private long segmentBytes;
    private long deletedBytes;
    private long nextNumber;
    private @Nullable RecordingWriter writer;
    private Path file;
    private long syncedNs;
    private boolean isEarlyNoticed;

    private RingPublisher(
            Path folder, Bounds bounds, Consumer<String> notices, LongSupplier nanoTime, FileChannel lock) {
        this.folder = folder;
        this.bounds = bounds;
        this.notices = notices;
        this.nanoTime = nanoTime;
        this.lock = lock;
        this.file = folder;
        this.syncedNs = nanoTime.getAsLong();
    }

    /**
     * Opens the ring in a folder, which is created if it does not exist.
     *
     * @param folder its path; its mode becomes 0700
     * @param bounds what it holds
     * @param notices takes a sentence when recordings begin to be deleted before their time, on the publishing thread
     * @return the publisher, for one collection; the caller closes it
     * @throws PublishException if the folder cannot be used, or another process writes into it
     */
    public static RingPublisher open(Path folder, Bounds bounds, Consumer<String> notices) {
        return open(folder, bounds, notices, System::nanoTime);
    }

    static RingPublisher open(Path folder, Bounds bounds, Consumer<String> notices, LongSupplier nanoTime) {
        try {
            PrivateFiles.createFolders(folder);
            FileChannel lock = PrivateFiles.openOrCreate(folder.resolve("lock"));
            try {
                requireAlone(folder, lock);
                RingPublisher ring = new RingPublisher(folder, bounds, notices, nanoTime, lock);
                ring.takeOver();
                return ring;
            } catch (IOException | RuntimeException e) {
                try (lock) {
                    throw e;
                }
            }
        } catch (IOException e) {
            throw new PublishException("cannot write into the folder " + folder + ": " + e, e);
        }
    }

    private static void requireAlone(Path folder, FileChannel channel) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw new PublishException("cannot write into the folder " + folder
                    + ": another process writes into it; stop that one, or name another folder");
        }
    }

    /**
     * {@return the recordings in a ring's folder, the oldest first; the last may be one that is being written}
     *
     * @param folder of the ring
     * @throws IOException if it cannot be read
     */
    public static List<Path> recordings(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(each -> each.getFileName().toString().matches(NAMES))
                    .sorted()
                    .toList();
        }
    }

    private void takeOver() throws IOException {
        for (Path recording : recordings(folder)) {
            long ageMs = Math.max(
                    0,
                    System.currentTimeMillis()
                            - Files.getLastModifiedTime(recording).toMillis());
            add(recording, Files.size(recording), nanoTime.getAsLong() - ageMs * NS_PER_MS);
            String name = recording.getFileName().toString();
            nextNumber = Long.parseLong(name, 0, name.indexOf('.'), 10) + 1;
        }
        trim();
    }

    private void add(Path recording, long bytes, long endedNs) {
        segments.add(new Segment(recording, bytes, endedNs));
        segmentBytes += bytes;
    }

    @Override
    public boolean takesKeyframes() {
        return true;
    }

    @Override
    public void publish(EventEncoder event) {
        try {
            writer().append(event);
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    @Override
    public void publish(SpecificRecord metadata) {
        try {
            if (metadata instanceof Keyframe) {
                end();
            }
            writer().append(metadata);
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    private RecordingWriter writer() throws RecordingException {
        RecordingWriter current = writer;
        if (current == null) {
            file = folder.resolve(String.format(Locale.ROOT, "%010d.avro", nextNumber++));
            current = RecordingWriter.create(file);
            writer = current;
        }
        return current;
    }

    private void end() throws RecordingException {
        RecordingWriter current = writer;
        if (current != null) {
            writer = null;
            try (current) {
                current.sync();
            }
            add(file, current.sizeBytes(), nanoTime.getAsLong());
        }
    }

    /** Also makes room, and once in a while waits until the disk has everything. */
    @Override
    public void flush() {
        RecordingWriter current = writer;
        try {
            if (current != null && nanoTime.getAsLong() - syncedNs >= SYNC_EVERY_S * NS_PER_S) {
                current.sync();
                PrivateFiles.sync(folder);
                syncedNs = nanoTime.getAsLong();
            } else if (current != null) {
                current.flush();
            }
            trim();
        } catch (RecordingException e) {
            throw new PublishException(e);
        } catch (IOException e) {
            throw new PublishException("cannot keep the folder " + folder + " in order: " + e, e);
        }
    }

    private void trim() throws IOException {
        long nowNs = nanoTime.getAsLong();
        while (!segments.isEmpty()) {
            boolean isOld =
                    nowNs - segments.getFirst().endedNs() > bounds.keep().toNanos();
            if (!isOld && !isTooMuch()) {
                return;
            }
            if (!isOld && !isEarlyNoticed) {
                isEarlyNoticed = true;
                notices.accept("the folder " + folder + " has no room for "
                        + bounds.keep().toSeconds() + " s of recording: it holds less than that from now on");
            }
            Segment oldest = segments.removeFirst();
            Files.deleteIfExists(oldest.file());
            segmentBytes -= oldest.bytes();
            deletedBytes += oldest.bytes();
        }
    }

    private boolean isTooMuch() throws IOException {
        return segmentBytes + currentBytes() > bounds.maxBytes()
                || Files.getFileStore(folder).getUsableSpace() < bounds.minFreeBytes();
    }

    private long currentBytes() {
        return writer == null ? 0 : writer.sizeBytes();
    }

    @Override
    public void complete() {
        try {
            if (writer != null) {
                writer.sync();
            }
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    /** {@return how many bytes were written, those among them that were deleted since} */
    @Override
    public long publishedBytes() {
        return deletedBytes + segmentBytes + currentBytes();
    }

    @Override
    public void close() {
        try (lock) {
            end();
        } catch (RecordingException e) {
            throw new PublishException(e);
        } catch (IOException e) {
            throw new PublishException("cannot close the folder " + folder + ": " + e, e);
        }
    }
}
