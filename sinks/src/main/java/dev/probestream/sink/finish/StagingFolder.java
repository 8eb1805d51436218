package dev.probestream.sink.finish;

import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.sink.position.DurableFile;
import dev.probestream.sink.position.FolderTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The folder in which files are written, with the layout of the destination folder and on the same file system. */
final class StagingFolder {
    private final Path staging;
    private final Path folder;

    StagingFolder(Path staging, Path folder) {
        this.staging = staging;
        this.folder = folder;
    }

    /** Empties it and creates {@code subfolder} in it. */
    Path prepare(String subfolder) throws IOException {
        FolderTree.delete(staging);
        return PrivateFiles.createFolders(staging.resolve(subfolder));
    }

    void clear() throws IOException {
        FolderTree.delete(staging);
    }

    Path path() {
        return staging;
    }

    /** Moves every file to its place and syncs it to disk; returns the new paths. */
    List<Path> place(FaultPoints faultPoints) throws IOException {
        List<Path> staged = FolderTree.files(staging);
        for (Path file : staged) {
            PrivateFiles.sync(file);
        }
        List<Path> placed = new ArrayList<>();
        Set<Path> folders = new LinkedHashSet<>();
        for (Path file : staged) {
            faultPoints.before(
                    placed.isEmpty() ? FaultPoints.Step.PLACE_FIRST_FILE : FaultPoints.Step.PLACE_ANOTHER_FILE);
            Path place = folder.resolve(staging.relativize(file).toString());
            Path parent = place.resolveSibling("");
            DurableFile.createFolders(parent);
            Files.move(file, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            folders.add(parent);
            placed.add(place);
        }
        for (Path changed : folders) {
            PrivateFiles.sync(changed);
        }
        FolderTree.delete(staging);
        return placed;
    }
}
