package dev.probestream.sink.finish;

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

/** The folder aside in which files are made, laid out like the one they go to and on the same file system. */
final class StagingFolder {
    private final Path stage;
    private final Path folder;

    StagingFolder(Path stage, Path folder) {
        this.stage = stage;
        this.folder = folder;
    }

    /** Empties it, and makes {@code subfolder} in it. */
    Path prepare(String subfolder) throws IOException {
        FolderTree.delete(stage);
        return Files.createDirectories(stage.resolve(subfolder));
    }

    void clear() throws IOException {
        FolderTree.delete(stage);
    }

    Path path() {
        return stage;
    }

    /** Moves every file to where it belongs, on the disk when this returns; says where they are now. */
    List<Path> place(FaultPoints steps) throws IOException {
        List<Path> staged = FolderTree.files(stage);
        for (Path file : staged) {
            DurableFile.sync(file);
        }
        List<Path> placed = new ArrayList<>();
        Set<Path> folders = new LinkedHashSet<>();
        for (Path file : staged) {
            steps.before(placed.isEmpty() ? FaultPoints.Step.PLACE_FIRST_FILE : FaultPoints.Step.PLACE_ANOTHER_FILE);
            Path place = folder.resolve(stage.relativize(file).toString());
            Path parent = place.resolveSibling("");
            DurableFile.createFolders(parent);
            Files.move(file, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            folders.add(parent);
            placed.add(place);
        }
        for (Path changed : folders) {
            DurableFile.sync(changed);
        }
        FolderTree.delete(stage);
        return placed;
    }
}
