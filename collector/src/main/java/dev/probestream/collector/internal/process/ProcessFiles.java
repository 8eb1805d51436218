package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens the files that a process has mapped, even if their paths now lead to other files: a package upgrade replaces
 * files of running processes, and a container has its own file system.
 */
public final class ProcessFiles {
    private final int pid;
    private final TargetRoot root;

    private ProcessFiles(int pid, TargetRoot root) {
        this.pid = pid;
        this.root = root;
    }

    /** Fails if the process has exited or access to it is denied. */
    public static ProcessFiles of(int pid) throws IOException {
        return new ProcessFiles(pid, TargetRoot.of(pid));
    }

    /** The file system as the process sees it. */
    public TargetRoot root() {
        return root;
    }

    /**
     * Returns a path that opens the mapped file: a plain path if the process shares this file system, because it stays
     * valid after the process has exited; else a path through /proc/PID. Empty if there is no such path or access is
     * denied.
     */
    public Optional<Path> openable(MappedRange range) {
        Optional<Path> plain = range.isDeleted() ? Optional.empty() : reachable(range.path(), range.inode());
        return plain.or(() -> held("exe", range.inode()))
                .or(() -> held(
                        "map_files/" + Long.toHexString(range.start()) + "-" + Long.toHexString(range.end()),
                        range.inode()));
    }

    /** Returns the mapped file; empty if {@link #openable} is. */
    public Optional<ProbedFile> probed(MappedRange range) {
        try {
            Optional<Path> file = openable(range);
            return file.isPresent()
                    ? Optional.of(new ProbedFile(range.path(), file.get(), FileId.of(file.get())))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // deleted meanwhile
        }
    }

    /**
     * Returns the path if it leads to the file with this inode. Devices are not compared: /proc/PID/maps and stat(2)
     * disagree about them on overlayfs and btrfs.
     */
    public Optional<Path> reachable(String path, long inode) {
        try {
            Path file = root.resolve(path);
            return isFile(file, inode) ? Optional.of(file) : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty(); // no such path, or a name that Java cannot represent
        }
    }

    private Optional<Path> held(String link, long inode) {
        try {
            Path file = ProcFile.of(pid, link);
            return isFile(file, inode) ? Optional.of(file) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // the process has exited, or only root may follow the link
        }
    }

    private static boolean isFile(Path file, long inode) throws IOException {
        return Files.isRegularFile(file) && FileId.of(file).inode() == inode;
    }
}
