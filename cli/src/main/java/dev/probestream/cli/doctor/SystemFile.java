package dev.probestream.cli.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Small files of /proc and /sys, which may be absent or not ours to read. */
final class SystemFile {
    private SystemFile() {}

    /** The first line without blanks around it; empty when the file cannot be read or has none. */
    static Optional<String> firstLine(Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            return Optional.ofNullable(reader.readLine()).map(String::strip);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** All lines; none when the file cannot be read. */
    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Where a symbolic link points to; empty when it cannot be read. */
    static Optional<String> link(Path file) {
        try {
            return Optional.of(Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
