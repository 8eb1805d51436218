package dev.probestream.sink.metadata;

import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.format.FormatVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Where the records of each capture are in the metadata topic: a hash table in a file, so that neither memory nor the
 * time to start depends on the number of captures. It is derived from the topic: a damaged file, or one of another
 * topic, is replaced by an empty one; so is the index of an older program, which may have passed over ends of captures that
 * it could not read. Adding a record again changes nothing.
 *
 * <pre>
 *   0   8 bytes   magic and version
 *   8   16        id of the topic
 *   24  8         from: records at lower offsets were not indexed
 *   32  8         next: all records from {@code from} up to here, exclusive, are in the table
 *   40  8         number of slots, a power of two
 *   48  8         number of slots that are not free
 *   56  4         major version of the format that the indexing program reads, and 4 bytes: the minor version
 *   64  slots of 32 bytes, linear probing:
 *         8       capture id
 *         8       1 + offset of its first record; 0 = free, -1 = removed
 *         8       offset of its last record
 *         8       1 + number of events that it delivered; 0 = it has not ended
 * </pre>
 */
final class CaptureIndex implements AutoCloseable {
    private static final long MAGIC = 0x5052_4F42_4549_4401L;
    private static final int HEADER_BYTES = 64;
    private static final int SLOT_BYTES = 32;
    private static final int FIRST_SLOTS = 1 << 10;
    private static final int COPY_SLOTS = 1 << 12;
    private static final long REMOVED = -1;
    /** 2^64 divided by the golden ratio: spreads ids that differ in few bits. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /**
     * The records of a capture.
     *
     * @param first offset of its first record
     * @param last offset of its last record; records of other captures may lie between
     * @param delivered the number of its events; -1 = it has not ended
     */
    record Range(long first, long last, long delivered) {}

    private final Path path;
    private final Uuid topicId;
    private final ByteBuffer slot = ByteBuffer.allocate(SLOT_BYTES);
    private FileChannel file;
    private long from;
    private long next;
    private long slots;
    private long used;

    /** The capture whose slot was read last; successive records are mostly of one capture. */
    private long cachedId;

    private long cachedSlot = -1;
    private @Nullable Range cached;
    private boolean isCacheChanged;

    private CaptureIndex(Path path, Uuid topicId, FileChannel file) {
        this.path = path;
        this.topicId = topicId;
        this.file = file;
    }

    /** Opens the index in {@code path}, or creates an empty one that begins at offset {@code from} of the topic. */
    static CaptureIndex open(Path path, Uuid topicId, long from) throws IOException {
        if (Files.exists(path)) {
            FileChannel file = PrivateFiles.openOrCreate(path);
            CaptureIndex index = new CaptureIndex(path, topicId, file);
            if (index.readHeader()) {
                return index;
            }
            file.close();
        }
        CaptureIndex index = new CaptureIndex(path, topicId, create(path, FIRST_SLOTS));
        index.slots = FIRST_SLOTS;
        index.from = from;
        index.next = from;
        index.save();
        return index;
    }

    /** Whether an index of this topic is in {@code path}, so that the topic need not be read again. */
    static boolean exists(Path path, Uuid topicId) throws IOException {
        if (!Files.exists(path)) {
            return false;
        }
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            return new CaptureIndex(path, topicId, file).readHeader();
        }
    }

    long from() {
        return from;
    }

    /** Records at lower offsets than before are in the table, too. */
    void setFrom(long offset) {
        from = offset;
    }

    long next() {
        return next;
    }

    void setNext(long offset) {
        next = offset;
    }

    /** The records of a capture; empty if it has none. */
    Optional<Range> find(long captureId) throws IOException {
        seek(captureId);
        return Optional.ofNullable(cached);
    }

    /** @param delivered the number of its events if the record is its end; otherwise -1 */
    void add(long captureId, long offset, long delivered) throws IOException {
        seek(captureId);
        Range known = cached;
        cached = known == null
                ? new Range(offset, offset, delivered)
                : new Range(
                        Math.min(known.first, offset),
                        Math.max(known.last, offset),
                        Math.max(known.delivered, delivered));
        isCacheChanged |= !cached.equals(known);
    }

    void remove(long captureId) throws IOException {
        seek(captureId);
        isCacheChanged |= cached != null;
        cached = null;
    }

    /** Makes all changes durable, and only then {@link #next}. */
    void save() throws IOException {
        writeCached();
        file.force(false);
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES)
                .putLong(MAGIC)
                .putLong(topicId.getMostSignificantBits())
                .putLong(topicId.getLeastSignificantBits())
                .putLong(from)
                .putLong(next)
                .putLong(slots)
                .putLong(used)
                .putInt(FormatVersion.CURRENT.major())
                .putInt(FormatVersion.CURRENT.minor());
        write(file, header.rewind(), 0);
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private boolean readHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (file.size() < HEADER_BYTES || file.read(header, 0) < HEADER_BYTES) {
            return false;
        }
        header.rewind();
        boolean isOurs = header.getLong() == MAGIC
                && header.getLong() == topicId.getMostSignificantBits()
                && header.getLong() == topicId.getLeastSignificantBits();
        if (!isOurs) {
            return false;
        }
        from = header.getLong();
        next = header.getLong();
        slots = header.getLong();
        used = header.getLong();
        FormatVersion indexed = new FormatVersion(header.getInt(), header.getInt());
        return indexed.equals(FormatVersion.CURRENT)
                && Long.bitCount(slots) == 1
                && file.size() == HEADER_BYTES + slots * SLOT_BYTES;
    }

    /** Makes the capture's slot, or the one that it would get, the cached one. */
    private void seek(long captureId) throws IOException {
        if (cachedSlot >= 0 && cachedId == captureId) {
            return;
        }
        writeCached();
        long number = ((captureId * SPREAD) >>> 16) & (slots - 1);
        while (true) {
            readSlot(number);
            long id = slot.getLong(0);
            long first = slot.getLong(8);
            if (first == 0 || id == captureId) {
                cachedId = captureId;
                cachedSlot = number;
                cached = first > 0 ? new Range(first - 1, slot.getLong(16), slot.getLong(24) - 1) : null;
                return;
            }
            number = (number + 1) & (slots - 1);
        }
    }

    private void readSlot(long number) throws IOException {
        slot.clear();
        if (file.read(slot, HEADER_BYTES + number * SLOT_BYTES) < SLOT_BYTES) {
            throw new IOException("cannot read " + path + ": it ends within slot " + number + "; delete this file");
        }
    }

    private void writeCached() throws IOException {
        if (!isCacheChanged) {
            return;
        }
        isCacheChanged = false;
        Range range = cached;
        readSlot(cachedSlot);
        if (slot.getLong(8) == 0) {
            used++;
        }
        slot.clear();
        slot.putLong(cachedId);
        slot.putLong(range == null ? REMOVED : range.first + 1);
        slot.putLong(range == null ? 0 : range.last);
        slot.putLong(range == null ? 0 : range.delivered + 1);
        write(file, slot.flip(), HEADER_BYTES + cachedSlot * SLOT_BYTES);
        if (used > slots / 2) {
            rebuild();
        }
    }

    /** Copies the captures that were not removed into a file that has room. */
    private void rebuild() throws IOException {
        long live = 0;
        ByteBuffer some = ByteBuffer.allocate(COPY_SLOTS * SLOT_BYTES);
        for (long number = 0; number < slots; number += COPY_SLOTS) {
            live += countLive(readSlots(some, number));
        }
        long newSlots = Math.max(FIRST_SLOTS, Long.highestOneBit(Math.max(1, live)) * 8);
        Path part = path.resolveSibling(path.getFileName() + ".part");
        CaptureIndex copy = new CaptureIndex(path, topicId, create(part, newSlots));
        copy.slots = newSlots;
        copy.from = from;
        copy.next = next;
        for (long number = 0; number < slots; number += COPY_SLOTS) {
            readSlots(some, number);
            while (some.hasRemaining()) {
                long id = some.getLong();
                long first = some.getLong();
                long last = some.getLong();
                long delivered = some.getLong();
                if (first > 0) {
                    copy.seek(id);
                    copy.cached = new Range(first - 1, last, delivered - 1);
                    copy.isCacheChanged = true;
                }
            }
        }
        copy.save();
        Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        file.close();
        file = copy.file;
        slots = copy.slots;
        used = copy.used;
        cachedSlot = -1;
    }

    private ByteBuffer readSlots(ByteBuffer some, long number) throws IOException {
        some.clear().limit((int) Math.min(COPY_SLOTS, slots - number) * SLOT_BYTES);
        long position = HEADER_BYTES + number * SLOT_BYTES;
        while (some.hasRemaining()) {
            if (file.read(some, position + some.position()) < 0) {
                throw new IOException(
                        "cannot read " + path + ": it is shorter than its header states; delete this file");
            }
        }
        return some.flip();
    }

    private static long countLive(ByteBuffer some) {
        long live = 0;
        for (int position = 0; position < some.limit(); position += SLOT_BYTES) {
            live += some.getLong(position + 8) > 0 ? 1 : 0;
        }
        return live;
    }

    /** All blocks are written, so that a full disk is reported here. */
    private static FileChannel create(Path path, long slots) throws IOException {
        Files.deleteIfExists(path);
        FileChannel file = PrivateFiles.openOrCreate(path);
        try {
            long sizeBytes = HEADER_BYTES + slots * SLOT_BYTES;
            ByteBuffer zeros = ByteBuffer.allocate(1 << 16);
            for (long position = 0; position < sizeBytes; position += zeros.capacity()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), sizeBytes - position));
                write(file, zeros, position);
            }
            return file;
        } catch (IOException e) {
            try (file) {
                throw e;
            }
        }
    }

    private static void write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += file.write(bytes, at);
        }
    }
}
