package dev.probestream.collector.internal.process;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The libraries that glibc's dynamic linker finds by their names, from {@code /etc/ld.so.cache}, which ldconfig(8) writes.
 * It contains the path of the file that a process will map when it loads a library by its name, unless LD_LIBRARY_PATH
 * or a path in the program leads to another.
 *
 * <pre>
 * struct cache_file_new (glibc, sysdeps/generic/dl-cache.h)   struct file_entry_new
 *   0 20  magic and version "glibc-ld.so.cache1.1"               0  4  flags: machine and C library
 *  20  4  number of entries                                      4  4  offset of the name
 *  24  4  bytes of names                                         8  4  offset of the path
 *  48     entries                                               12  4  not used
 *                                                               16  8  hwcap, 0 = for every CPU
 * </pre>
 */
public final class LibraryCache {
    private static final String CACHE = "/etc/ld.so.cache";
    private static final byte[] MAGIC = "glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII);
    private static final int COUNT_OFFSET = 20;
    private static final int ENTRIES_OFFSET = 48;
    private static final int ENTRY_BYTES = 24;
    private static final int PATH_OFFSET = 8;
    private static final int HWCAP_OFFSET = 16;

    // FLAG_X8664_LIB64 | FLAG_ELF_LIBC6 and FLAG_AARCH64_LIB64 | FLAG_ELF_LIBC6 of sysdeps/generic/ldconfig.h
    private static final int X86_64 = 0x0303;
    private static final int AARCH64 = 0x0a03;

    /** A library that programs name. */
    private record Entry(String name, String path) {}

    private LibraryCache() {}

    /**
     * The path of a library, as a process with this root sees it; empty if there is no cache, or no such library in it.
     *
     * @param name as in a spec: {@code libssl.so.3}, {@code libssl} or {@code ssl}
     */
    public static Optional<String> find(TargetRoot root, String name) {
        try {
            List<Entry> entries = entries(Files.readAllBytes(root.resolve(CACHE)));
            Optional<Entry> exact =
                    entries.stream().filter(entry -> entry.name.equals(name)).findFirst();
            return exact.or(() -> entries.stream()
                            .filter(entry -> ProbedFile.isNamed(name, entry.name))
                            .findFirst())
                    .map(Entry::path);
        } catch (IOException | BufferUnderflowException | IndexOutOfBoundsException e) {
            return Optional.empty(); // the library is found when it is mapped
        }
    }

    private static List<Entry> entries(byte[] file) {
        int start = start(file);
        List<Entry> entries = new ArrayList<>();
        if (start < 0) {
            return entries;
        }
        int wanted = System.getProperty("os.arch").equals("aarch64") ? AARCH64 : X86_64;
        ByteBuffer cache =
                ByteBuffer.wrap(file, start, file.length - start).slice().order(ByteOrder.nativeOrder());
        int count = cache.getInt(COUNT_OFFSET);
        for (int i = 0; i < count; i++) {
            int entry = ENTRIES_OFFSET + i * ENTRY_BYTES;
            if (cache.getInt(entry) == wanted && cache.getLong(entry + HWCAP_OFFSET) == 0) {
                entries.add(new Entry(
                        text(cache, cache.getInt(entry + Integer.BYTES)),
                        text(cache, cache.getInt(entry + PATH_OFFSET))));
            }
        }
        return entries;
    }

    /** Older files begin with the table of an older format. */
    private static int start(byte[] file) {
        for (int i = 0; i + MAGIC.length <= file.length; i += Long.BYTES) {
            if (Arrays.equals(file, i, i + MAGIC.length, MAGIC, 0, MAGIC.length)) {
                return i;
            }
        }
        return -1;
    }

    private static String text(ByteBuffer cache, int offset) {
        int end = offset;
        while (cache.get(end) != 0) {
            end++;
        }
        byte[] bytes = new byte[end - offset];
        cache.get(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
