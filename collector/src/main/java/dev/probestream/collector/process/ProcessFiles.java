package dev.probestream.collector.process;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens the files a process has mapped: the very files, wherever their paths lead by now. A package upgrade replaces
 * files under running processes, and a container has a file system of its own.
 */
public final class ProcessFiles {
    private final int pid;
    private final TargetRoot root;

    private ProcessFiles(int pid, TargetRoot root) {
        this.pid = pid;
        this.root = root;
    }

    /** Fails where the process has gone or may not be looked at. */
    public static ProcessFiles of(int pid) throws IOException {
        return new ProcessFiles(pid, TargetRoot.of(pid));
    }

    /** The file system as the process sees it. */
    public TargetRoot root() {
        return root;
    }

    /**
     * A path that opens the mapped file: a plain one where the process sees our file system, since that stays valid
     * when the process has gone; else one through /proc/PID. Empty where no path leads to it, or none we may use.
     */
    public Optional<Path> openable(MappedRange range) {
        Optional<Path> plain = range.isDeleted() ? Optional.empty() : reachable(range.path(), range.inode());
        return plain.or(() -> held("exe", range.inode()))
                .or(() -> held(
                        "map_files/" + Long.toHexString(range.start()) + "-" + Long.toHexString(range.end()),
                        range.inode()));
    }

    /** The mapped file; empty as {@link #openable} is. */
    public Optional<ProbedFile> probed(MappedRange range) {
        try {
            Optional<Path> file = openable(range);
            return file.isPresent()
                    ? Optional.of(new ProbedFile(range.path(), file.get(), FileId.of(file.get())))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // gone since it was looked at
        }
    }

    /** The path if it leads to this file. Maps and stat(2) tell different devices on overlayfs and btrfs. */
    public Optional<Path> reachable(String path, long inode) {
        try {
            Path file = root.resolve(path);
            return isFile(file, inode) ? Optional.of(file) : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty(); // not under this path: a deleted file, or a name that Java cannot spell
        }
    }

    private Optional<Path> held(String link, long inode) {
        try {
            Path file = ProcFile.of(pid, link);
            return isFile(file, inode) ? Optional.of(file) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // the process has gone, or only root may follow the link
        }
    }

    private static boolean isFile(Path file, long inode) throws IOException {
        return Files.isRegularFile(file) && FileId.of(file).inode() == inode;
    }
}
