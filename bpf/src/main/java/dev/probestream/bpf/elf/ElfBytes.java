package dev.probestream.bpf.elf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes of one ELF file, copied out region by region. Regions are copied rather than mapped: reading a mapped file
 * that another process truncated ends the JVM, and the JDK unmaps a file only at a garbage collection.
 */
final class ElfBytes {
    /** Four times the symbol strings of a debug build of Chromium; a larger region is a malformed header. */
    private static final long MAX_REGION_BYTES = 1L << 29;

    private final String file;
    private final long sizeBytes;
    private final PositionalRead source;

    ElfBytes(String file, long sizeBytes, PositionalRead source) {
        this.file = file;
        this.sizeBytes = sizeBytes;
        this.source = source;
    }

    static ElfBytes inMemory(String file, ByteBuffer bytes) {
        ByteBuffer all = bytes.slice();
        return new ElfBytes(file, all.capacity(), (destination, position) -> {
            int count = (int) Math.min(destination.remaining(), all.capacity() - position);
            destination.put(all.slice((int) position, count));
            return count;
        });
    }

    String file() {
        return file;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    ElfFormatException malformed(long offsetInFile, String problem) {
        return new ElfFormatException(file, offsetInFile, problem);
    }

    /** A private little-endian copy; {@code what} names the region in errors. */
    ByteBuffer region(long offsetInFile, long regionSizeBytes, String what) throws IOException {
        return ByteBuffer.wrap(copy(offsetInFile, regionSizeBytes, what)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** As {@link #region}. */
    byte[] copy(long offsetInFile, long regionSizeBytes, String what) throws IOException {
        if (offsetInFile < 0 || regionSizeBytes < 0 || offsetInFile > sizeBytes - regionSizeBytes) {
            throw malformed(
                    offsetInFile,
                    what + " of " + Long.toUnsignedString(regionSizeBytes) + " bytes reaches past the end of the file ("
                            + sizeBytes + " bytes)");
        }
        if (regionSizeBytes > MAX_REGION_BYTES) {
            throw malformed(
                    offsetInFile, what + " of " + regionSizeBytes + " bytes is larger than " + MAX_REGION_BYTES);
        }
        byte[] bytes = new byte[(int) regionSizeBytes];
        ByteBuffer copy = ByteBuffer.wrap(bytes);
        while (copy.hasRemaining()) {
            if (source.read(copy, offsetInFile + copy.position()) <= 0) {
                throw malformed(offsetInFile + copy.position(), what + ": the file ended while it was read");
            }
        }
        return bytes;
    }

    /** Reads at a position of a file or of memory, as {@link java.nio.channels.FileChannel#read(ByteBuffer, long)} does. */
    interface PositionalRead {
        int read(ByteBuffer destination, long position) throws IOException;
    }
}
