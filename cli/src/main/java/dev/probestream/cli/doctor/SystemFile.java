package dev.probestream.cli.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

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

    /** Whether a line passes the test, which sees no line after the first that does; false if the file cannot be read. */
    static boolean anyLine(Path file, Predicate<String> test) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.anyMatch(test);
        } catch (IOException | UncheckedIOException e) {
            return false;
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
