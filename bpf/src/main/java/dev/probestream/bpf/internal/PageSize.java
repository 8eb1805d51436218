package dev.probestream.bpf.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The size of a memory page on this machine. */
public final class PageSize {
    // getauxval(3), linux/auxvec.h
    private static final long AT_PAGESZ = 6;

    private PageSize() {}

    /** The size in bytes, from this process's auxiliary vector: 4096 on x86-64, also 16384 or 65536 on arm64. */
    public static int bytes() {
        Path vector = Path.of("/proc/self/auxv");
        try (InputStream in = Files.newInputStream(vector)) {
            ByteBuffer entries = ByteBuffer.wrap(in.readAllBytes()).order(ByteOrder.nativeOrder());
            while (entries.remaining() >= 2 * Long.BYTES) {
                long type = entries.getLong();
                long value = entries.getLong();
                if (type == AT_PAGESZ) {
                    return Math.toIntExact(value);
                }
            }
            throw new IllegalStateException("no AT_PAGESZ in " + vector);
        } catch (IOException e) {
            throw new UncheckedIOException("read the page size from " + vector, e);
        }
    }
}
