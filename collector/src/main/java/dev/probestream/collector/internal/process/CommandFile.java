package dev.probestream.collector.internal.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Resolves a command's name to an executable, as execve(2) and the shell do: through PATH, and from a script to the
 * interpreter in its first line.
 */
final class CommandFile {
    /** Maximum number of nested interpreters: the kernel's limit (fs/exec.c, exec_binprm). */
    private static final int MOST_INTERPRETERS = 5;

    /** BINPRM_BUF_SIZE of linux/binfmts.h: the part of the first line that the kernel reads. */
    private static final int FIRST_LINE_BYTES = 256;

    private final String searchPath;

    /** @param searchPath the value of PATH */
    CommandFile(String searchPath) {
        this.searchPath = searchPath;
    }

    /**
     * Returns the executable that will run; never a script.
     *
     * @throws IOException if the command or an interpreter does not exist
     */
    Path resolve(String command) throws IOException {
        Path file = find(command);
        for (int i = 0; i < MOST_INTERPRETERS; i++) {
            Optional<String> interpreter = interpreter(file);
            if (interpreter.isEmpty()) {
                return file.toRealPath();
            }
            file = find(interpreter.get());
        }
        throw new IOException("start '" + command + "': more than " + MOST_INTERPRETERS
                + " nested interpreters, the last one in " + file);
    }

    private Path find(String name) throws IOException {
        if (name.contains("/")) {
            Path file = Path.of(name);
            if (isExecutable(file)) {
                return file;
            }
            throw new IOException("start '" + name + "': " + (Files.exists(file) ? "not executable" : "no such file"));
        }
        return Stream.of(searchPath.split(":"))
                // An empty entry of PATH is the current folder.
                .map(folder -> Path.of(folder.isEmpty() ? "." : folder, name))
                .filter(CommandFile::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IOException("start '" + name + "': no such command in PATH (" + searchPath
                        + "); give the path of its file"));
    }

    /** The program in a first line such as {@code #!/usr/bin/env node} or {@code #!/bin/sh -e}, or empty. */
    private static Optional<String> interpreter(Path file) throws IOException {
        String start;
        try (InputStream in = Files.newInputStream(file)) {
            start = new String(in.readNBytes(FIRST_LINE_BYTES), StandardCharsets.ISO_8859_1);
        }
        if (!start.startsWith("#!")) {
            return Optional.empty();
        }
        String line = start.substring(2).lines().findFirst().orElse("").strip();
        String[] words = line.split("\\s+");
        if (line.isEmpty()) {
            return Optional.empty();
        }
        if (!words[0].endsWith("/env")) {
            return Optional.of(words[0]);
        }
        // env(1): options and NAME=VALUE come before the program
        return Stream.of(words)
                .skip(1)
                .filter(word -> !word.startsWith("-") && !word.contains("="))
                .findFirst();
    }

    private static boolean isExecutable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
