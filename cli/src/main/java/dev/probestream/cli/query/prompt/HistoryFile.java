package dev.probestream.cli.query.prompt;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** Where the prompt keeps what was typed, as the XDG Base Directory specification says. Only its owner can read it. */
final class HistoryFile {
    private HistoryFile() {}

    /** Makes the file and its folder; empty = nothing can be kept there, which is no reason not to work. */
    static Optional<Path> prepare(String stateHome, String userHome) {
        try {
            // The specification: relative paths are to be ignored.
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
