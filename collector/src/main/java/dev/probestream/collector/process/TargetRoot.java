package dev.probestream.collector.process;

import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The file system as a process sees it. Where that is our own, paths are plain and stay openable when the process has
 * gone; else they go through /proc/PID/root. There symbolic links are followed by hand: the kernel would take an
 * absolute link in a container for one of the host.
 */
public final class TargetRoot {
    /** MAXSYMLINKS of linux/namei.h. */
    private static final int MAX_LINKS = 40;

    private static final Path ROOT = Path.of("/");

    private final Path prefix;

    private TargetRoot(Path prefix) {
        this.prefix = prefix;
    }

    /** Fails where the process has gone or may not be looked at. */
    public static TargetRoot of(int pid) throws IOException {
        Path root = ProcFile.of(pid, "root");
        boolean isOurs = Files.readSymbolicLink(ProcFile.of(pid, "ns/mnt"))
                        .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")))
                && FileId.of(root).equals(FileId.of(ROOT));
        return new TargetRoot(isOurs ? ROOT : root);
    }

    /** Whether the process sees the same files as we do. */
    public boolean isOurs() {
        return prefix.equals(ROOT);
    }

    /**
     * The path under which we reach what the process knows as {@code path}, free of symbolic links. Whether it exists
     * is not said. Paths in /proc stay as they are: their links lead to files, not to paths.
     *
     * @param path absolute, as the process sees it
     */
    public Path resolve(String path) throws IOException {
        if (path.startsWith("/proc/")) {
            return Path.of(path);
        }
        Deque<String> open = new ArrayDeque<>(parts(path));
        Path done = prefix;
        int links = 0;
        while (!open.isEmpty()) {
            String part = open.pop();
            if (part.equals("..")) {
                done = done.equals(prefix) ? done : parent(done);
                continue;
            }
            Path next = done.resolve(part);
            if (!Files.isSymbolicLink(next)) {
                done = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new FileSystemLoopException(path);
            }
            String link = Files.readSymbolicLink(next).toString();
            done = link.startsWith("/") ? prefix : done;
            List<String> parts = parts(link);
            for (int i = parts.size() - 1; i >= 0; i--) {
                open.push(parts.get(i));
            }
        }
        return done;
    }

    /** What the process calls a path that {@link #resolve} gave back. */
    public String seenAs(Path resolved) {
        return resolved.startsWith(prefix) ? "/" + prefix.relativize(resolved) : resolved.toString();
    }

    private Path parent(Path path) {
        Path parent = path.getParent();
        return parent == null ? prefix : parent;
    }

    private static List<String> parts(String path) {
        return Arrays.stream(path.split("/"))
                .filter(part -> !part.isEmpty() && !part.equals("."))
                .toList();
    }
}
