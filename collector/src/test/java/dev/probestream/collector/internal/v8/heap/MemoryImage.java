package dev.probestream.collector.internal.v8.heap;

import dev.probestream.collector.internal.v8.layout.RecordedLayout;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Parts of the memory of a process: what was read of a real one, or made by hand. Bytes can be changed and changed back.
 *
 * <p>The file, gzip: the symbols of the node ({@link RecordedLayout}), a count and that many tagged pointers to
 * SharedFunctionInfos, a count and that many blocks: address:8, length:4, bytes. Big-endian.
 */
public final class MemoryImage implements TargetMemory {
    private static final int PAGE_BYTES = 512;

    /** By page number. */
    private final TreeMap<Long, byte[]> pages = new TreeMap<>();

    private final List<Change> changes = new ArrayList<>();
    private long readBytes;
    private long reads;

    /** Of one byte. */
    private record Change(long address, byte before) {}

    /** An image with the layout of the node that it is of, and the functions that can be read from it. */
    public record Recorded(V8Layout layout, List<Long> functions, MemoryImage memory) {}

    /** Reads a process, and keeps what was read. */
    public TargetMemory recording(TargetMemory process) {
        return (address, into) -> {
            int start = into.position();
            boolean isRead = process.read(address, into);
            if (isRead) {
                for (int i = start; i < into.limit(); i++) {
                    putByte(address + i - start, into.get(i));
                }
            }
            return isRead;
        };
    }

    @Override
    public boolean read(long address, ByteBuffer into) {
        reads++;
        readBytes += into.remaining();
        long next = address;
        while (into.hasRemaining()) {
            byte[] page = pages.get(Math.floorDiv(next, PAGE_BYTES));
            if (page == null) {
                return false;
            }
            int offset = Math.floorMod(next, PAGE_BYTES);
            int count = Math.min(PAGE_BYTES - offset, into.remaining());
            into.put(page, offset, count);
            next += count;
        }
        return true;
    }

    public long readBytes() {
        return readBytes;
    }

    public long reads() {
        return reads;
    }

    /** The addresses of the pages. */
    public long[] pageAddresses() {
        return pages.keySet().stream().mapToLong(number -> number * PAGE_BYTES).toArray();
    }

    public static int pageBytes() {
        return PAGE_BYTES;
    }

    /** Little-endian; 0 where there is nothing. */
    public long longAt(long address) {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        return read(address, bytes) ? bytes.getLong(0) : 0;
    }

    public void putByte(long address, byte value) {
        byte[] page = page(address);
        int offset = Math.floorMod(address, PAGE_BYTES);
        changes.add(new Change(address, page[offset]));
        page[offset] = value;
    }

    private byte[] page(long address) {
        return pages.computeIfAbsent(Math.floorDiv(address, PAGE_BYTES), number -> new byte[PAGE_BYTES]);
    }

    /** Little-endian. */
    public void putLong(long address, long value) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
        for (int i = 0; i < Long.BYTES; i++) {
            putByte(address + i, bytes.get(i));
        }
    }

    /** Little-endian. */
    public void putInt(long address, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            putByte(address + i, (byte) (value >>> (8 * i)));
        }
    }

    /** The changes up to now cannot be taken back. */
    public void keepChanges() {
        changes.clear();
    }

    public void takeChangesBack() {
        for (int i = changes.size() - 1; i >= 0; i--) {
            Change change = changes.get(i);
            page(change.address)[Math.floorMod(change.address, PAGE_BYTES)] = change.before;
        }
        changes.clear();
    }

    public void write(Path file, Path node, List<Long> functions) throws Exception {
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(Files.newOutputStream(file)))) {
            RecordedLayout.write(node, out);
            out.writeInt(functions.size());
            for (long function : functions) {
                out.writeLong(function);
            }
            out.writeInt(pages.size());
            for (Map.Entry<Long, byte[]> page : pages.entrySet()) {
                out.writeLong(page.getKey() * PAGE_BYTES);
                out.writeInt(page.getValue().length);
                out.write(page.getValue());
            }
        }
    }

    public static Recorded read(Path file) throws Exception {
        try (DataInputStream in = new DataInputStream(new GZIPInputStream(Files.newInputStream(file)))) {
            V8Layout layout = RecordedLayout.read(in);
            List<Long> functions = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                functions.add(in.readLong());
            }
            MemoryImage image = new MemoryImage();
            for (int left = in.readInt(); left > 0; left--) {
                long address = in.readLong();
                byte[] page = in.readNBytes(in.readInt());
                if (page.length != PAGE_BYTES) {
                    throw new IOException("a page of " + page.length + " bytes");
                }
                image.pages.put(Math.floorDiv(address, PAGE_BYTES), page);
            }
            return new Recorded(layout, functions, image);
        }
    }
}
