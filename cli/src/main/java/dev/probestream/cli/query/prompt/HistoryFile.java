package dev.probestream.cli.query.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** The history file of the prompt, at the path of the XDG Base Directory specification. Only its owner can read it. */
final class HistoryFile {
    private HistoryFile() {}

    /** Creates the file and its folder; empty if that fails, and the prompt works without history. */
    static Optional<Path> prepare(String stateHome, String userHome) {
        try {
            // The specification requires relative paths to be ignored.
            Path state = stateHome.startsWith("/") ? Path.of(stateHome) : Path.of(userHome, ".local", "state");
            Path file = Files.createDirectories(state.resolve("probestream")).resolve("query_history");
            if (!Files.exists(file)) {
                Files.createFile(
                        file,
                        PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString("rw-------"))));
            }
            return Files.isWritable(file) ? Optional.of(file) : Optional.empty();
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }
}
