package dev.probestream.cli.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads small files of /proc and /sys, which may be missing or not readable. */
final class SystemFile {
    private SystemFile() {}

    /** The first line, stripped; empty if the file cannot be read or is empty. */
    static Optional<String> firstLine(Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            return Optional.ofNullable(reader.readLine()).map(String::strip);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** All lines; none if the file cannot be read. */
    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The target of a symbolic link; empty if it cannot be read. */
    static Optional<String> link(Path file) {
        try {
            return Optional.of(Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
