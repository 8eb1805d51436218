package dev.probestream.cli.query.prompt;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The history file of the prompt, at the path of the XDG Base Directory specification. Only its owner can read it. */
final class HistoryFile {
    private HistoryFile() {}

    /** Creates the file and its folder; empty if that fails, and the prompt works without history. */
    static Optional<Path> prepare(String stateHome, String userHome) {
        try {
            // The specification requires relative paths to be ignored.
            Path state = stateHome.startsWith("/") ? Path.of(stateHome) : Path.of(userHome, ".local", "state");
            Path file = PrivateFiles.createFolders(state.resolve("probestream")).resolve("query_history");
            if (!Files.exists(file)) {
                PrivateFiles.openOrCreate(file).close();
            }
            return Files.isWritable(file) ? Optional.of(file) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
