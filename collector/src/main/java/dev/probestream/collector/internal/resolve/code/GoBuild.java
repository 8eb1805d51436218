package dev.probestream.collector.internal.resolve.code;

import dev.probestream.bpf.elf.ElfFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads the version of Go that built a file (Go's src/debug/buildinfo/buildinfo.go):
 *
 * <pre>
 * offset  size  field
 *      0    14  magic         ff " Go buildinf:"
 *     14     1  pointerSize   bytes of a pointer, before 1.18
 *     15     1  flags         bit 0: big-endian; bit 1: the strings stand here (1.18 and later)
 *     16     8  versionPointer  before 1.18: the address of a string, which is the address of its bytes and their count
 *     32     .. version       since 1.18: its length as a varint, then its bytes
 * </pre>
 */
final class GoBuild {
    static final String SECTION = ".go.buildinfo";

    private static final byte[] MAGIC = "\u00ff Go buildinf:".getBytes(StandardCharsets.ISO_8859_1);
    private static final int FLAGS_OFFSET = 15;
    private static final int BIG_ENDIAN_FLAG = 1;
    private static final int INLINE_FLAG = 2;
    private static final int POINTER_OFFSET = 16;
    private static final int INLINE_OFFSET = 32;
    private static final int MAX_VERSION_BYTES = 256;
    private static final int HEAD_BYTES = INLINE_OFFSET + 2 + MAX_VERSION_BYTES;

    private GoBuild() {}

    /** As {@code runtime.Version()} gives it, such as {@code go1.19.8}; empty when the file does not say. */
    static Optional<String> version(ElfFile elf) throws IOException {
        OptionalLong address = elf.sectionAddress(SECTION);
        if (address.isEmpty()) {
            return Optional.empty();
        }
        ByteBuffer head = elf.bytesAt(address.getAsLong(), HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (head.remaining() < INLINE_OFFSET || !startsWithMagic(head)) {
            return Optional.empty();
        }
        int flags = head.get(FLAGS_OFFSET);
        if ((flags & INLINE_FLAG) != 0) {
            return inline(head);
        }
        return (flags & BIG_ENDIAN_FLAG) != 0 ? Optional.empty() : behindPointer(elf, head.getLong(POINTER_OFFSET));
    }

    private static boolean startsWithMagic(ByteBuffer head) {
        byte[] start = new byte[MAGIC.length];
        head.get(0, start);
        return Arrays.equals(start, MAGIC);
    }

    private static Optional<String> inline(ByteBuffer head) {
        head.position(INLINE_OFFSET);
        int length = 0;
        for (int shift = 0; shift <= 14 && head.hasRemaining(); shift += 7) {
            int part = head.get();
            length |= (part & 0x7f) << shift;
            if (part >= 0) {
                return text(head, length);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> behindPointer(ElfFile elf, long stringAddress) throws IOException {
        ByteBuffer string = elf.bytesAt(stringAddress, 2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (string.remaining() < 2 * Long.BYTES) {
            return Optional.empty();
        }
        long length = string.getLong(Long.BYTES);
        return length < 0 || length > MAX_VERSION_BYTES
                ? Optional.empty()
                : text(elf.bytesAt(string.getLong(0), (int) length), (int) length);
    }

    private static Optional<String> text(ByteBuffer bytes, int length) {
        if (length > bytes.remaining() || length > MAX_VERSION_BYTES) {
            return Optional.empty();
        }
        byte[] text = new byte[length];
        bytes.get(text);
        return Optional.of(new String(text, StandardCharsets.UTF_8));
    }
}
