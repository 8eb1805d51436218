package dev.probestream.sink.position;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Finished files beyond the position, left by a crash. Their events will be read again, so these files must be deleted. */
final class OrphanFiles {
    /** Receives the finished files one after the other. */
    private interface FinishedFileVisitor {
        FileVisitResult visit(Path file, FinishedName name) throws IOException;
    }

    private final Path folder;
    private final Path ownFolder;

    OrphanFiles(Path folder, Path ownFolder) {
        this.folder = folder;
        this.ownFolder = ownFolder;
    }

    /** Deletes those of {@code partition}, which must be locked, and returns them. */
    List<Path> delete(int partition, Position position) throws IOException {
        List<Path> deleted = new ArrayList<>();
        for (Path file : find(partition, position)) {
            if (Files.deleteIfExists(file)) {
                DurableFile.syncFolderOf(file);
                deleted.add(file);
            }
        }
        return deleted;
    }

    /** Whether there is any finished file, of any partition. */
    boolean areAnyFiles() throws IOException {
        boolean[] found = new boolean[1];
        walk((file, name) -> {
            found[0] = true;
            return FileVisitResult.TERMINATE;
        });
        return found[0];
    }

    private List<Path> find(int partition, Position position) throws IOException {
        List<Path> found = new ArrayList<>();
        walk((file, name) -> {
            if (name.partition() == partition && isBeyond(file, name, position)) {
                found.add(file);
            }
            return FileVisitResult.CONTINUE;
        });
        return found;
    }

    private void walk(FinishedFileVisitor visitor) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                return visited.equals(ownFolder) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                FinishedName name = FinishedName.of(file).orElse(null);
                return name == null ? FileVisitResult.CONTINUE : visitor.visit(file, name);
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // another instance deletes orphan files of its partition
                }
                throw e;
            }
        });
    }

    private static boolean isBeyond(Path file, FinishedName name, Position position) throws FolderException {
        long finishedUpTo = position.finishedUpTo(name.captureId());
        if (name.firstOffset() < finishedUpTo && name.lastOffset() >= finishedUpTo) {
            throw new FolderException(
                    "cannot use this folder: " + file + " reaches over the position, offset " + finishedUpTo
                            + " of partition " + name.partition()
                            + ", so files and position file do not match; restore both from one backup, or"
                            + " start the sink with an empty folder",
                    null);
        }
        return name.firstOffset() >= finishedUpTo;
    }
}
