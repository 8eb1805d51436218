package dev.probestream.collector.internal.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * The identity of a file, independent of its path: two paths with one FileId need one uprobe.
 *
 * @param device st_dev of stat(2)
 * @param inode st_ino
 */
public record FileId(long device, long inode) {
    /** Reads the identity of a file; follows symbolic links. */
    public static FileId of(Path file) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,ino");
        return new FileId(number(attributes, "dev"), number(attributes, "ino"));
    }

    private static long number(Map<String, Object> attributes, String name) {
        return ((Number) Objects.requireNonNull(attributes.get(name))).longValue();
    }
}
