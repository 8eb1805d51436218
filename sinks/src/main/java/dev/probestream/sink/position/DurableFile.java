package dev.probestream.sink.position;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/** The one way in which a file comes into its place: whole and on the disk, or not at all. */
public final class DurableFile {
    private DurableFile() {}

    /** Puts {@code bytes} into {@code place}, over what was there. */
    public static void write(Path place, byte[] bytes) throws IOException {
        Path part = place.resolveSibling(place.getFileName() + ".part");
        try {
            writePart(part, bytes);
            Files.move(part, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            syncFolderOf(place);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Puts {@code bytes} into {@code place} unless something is there; of many who try at once, one succeeds. */
    static void create(Path place, byte[] bytes) throws IOException {
        String own = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
        Path part = place.resolveSibling(place.getFileName() + "." + own + ".part");
        try {
            writePart(part, bytes);
            Files.createLink(place, part); // a rename would replace what is there
            syncFolderOf(place);
        } catch (FileAlreadyExistsException e) {
            // Somebody else was faster.
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void writePart(Path part, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
    }

    /** Sees to it that a crash of the machine does not bring back, or take away, the name of {@code file}. */
    static void syncFolderOf(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            sync(parent);
        }
    }

    /** Makes the folder, and those above it, and sees to it that a crash of the machine does not take them away. */
    public static void createFolders(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            createFolders(parent);
            Files.createDirectories(folder);
            sync(parent);
        }
    }

    /** fsync(2), of a file or of a folder's names. */
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
