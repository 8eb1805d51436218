package dev.probestream.sink.position;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.ThreadLocalRandom;

/** Writes files atomically and durably: a file is in place as a whole and on the disk, or not at all. */
public final class DurableFile {
    private DurableFile() {}

    /** Writes {@code bytes} to {@code place}, replacing an existing file. */
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

    /** Writes {@code bytes} to {@code place} unless it exists; of several concurrent calls, one succeeds. */
    static void create(Path place, byte[] bytes) throws IOException {
        String own = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
        Path part = place.resolveSibling(place.getFileName() + "." + own + ".part");
        try {
            writePart(part, bytes);
            Files.createLink(place, part); // a rename would replace what is there
            syncFolderOf(place);
        } catch (FileAlreadyExistsException e) {
            // Another instance was faster.
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static void writePart(Path part, byte[] bytes) throws IOException {
        try (FileChannel channel = PrivateFiles.replace(part)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
    }

    /** Syncs the folder of {@code file}, so that a crash of the machine does not undo its creation or deletion. */
    static void syncFolderOf(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            PrivateFiles.sync(parent);
        }
    }

    /** Creates the folder and its parents durably. */
    public static void createFolders(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            createFolders(parent);
            PrivateFiles.createFolders(folder);
            PrivateFiles.sync(parent);
        }
    }
}
