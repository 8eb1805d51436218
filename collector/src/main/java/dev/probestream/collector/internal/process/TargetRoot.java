package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The file system as a process sees it. If the process shares this file system, paths are plain and stay valid after it
 * has exited; else they go through /proc/PID/root. There symbolic links are resolved here, because the kernel would
 * resolve an absolute link of a container in the host's file system.
 */
public final class TargetRoot {
    /** MAXSYMLINKS of linux/namei.h. */
    private static final int MAX_LINKS = 40;

    private static final Path ROOT = Path.of("/");

    private final Path prefix;

    private TargetRoot(Path prefix) {
        this.prefix = prefix;
    }

    /** Fails if the process has exited or access to it is denied. */
    public static TargetRoot of(int pid) throws IOException {
        Path root = ProcFile.of(pid, "root");
        boolean isOurs = Files.readSymbolicLink(ProcFile.of(pid, "ns/mnt"))
                        .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")))
                && FileId.of(root).equals(FileId.of(ROOT));
        return new TargetRoot(isOurs ? ROOT : root);
    }

    /** The file system as this process sees it. */
    public static TargetRoot ours() {
        return new TargetRoot(ROOT);
    }

    /** Whether the process sees the same file system as this process. */
    public boolean isOurs() {
        return prefix.equals(ROOT);
    }

    /**
     * Translates a path of the process into a path that is valid here, without symbolic links. The result need not
     * exist. Paths in /proc are returned unchanged, because their links lead to files, not to paths.
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

    /**
     * Reads a small regular file of the process. Nothing else is opened: a fifo or a device may block for ever.
     *
     * @param path absolute, as the process sees it
     * @param maxBytes a larger file is an error
     * @throws IOException if it cannot be read; NoSuchFileException if there is none
     */
    public byte[] read(String path, int maxBytes) throws IOException {
        Path file = resolve(path);
        if (!Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isRegularFile()) {
            throw new IOException("read " + path + ": it is no regular file");
        }
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw new IOException("read " + path + ": it has more than " + maxBytes + " bytes");
            }
            return bytes;
        }
    }

    /** The process's path of a result of {@link #resolve}. */
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
