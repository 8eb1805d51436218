package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A control group of the unified hierarchy (cgroup v2).
 *
 * @param folder the mounted folder, without symbolic links
 * @param id the inode number of the folder, as returned by bpf_get_current_ancestor_cgroup_id
 * @param level the depth below the root of the hierarchy, which has level 0; inside a cgroup namespace that below its root
 * @param levels how many levels from there on it may lie at: 1 on the host
 */
public record CgroupFolder(Path folder, long id, int level, int levels) {
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final Path NAMESPACE = Path.of("/proc/self/ns/cgroup");

    /** PROC_CGROUP_INIT_INO of linux/proc_ns.h: the namespace of the host. */
    private static final long INITIAL_INODE = 0xEFFF_FFFBL;

    /** Deeper than a namespace begins in practice: that of a Kubernetes pod is at level 4 or 5. */
    private static final int NAMESPACE_LEVELS = 16;

    /**
     * Reads a folder's control group.
     *
     * @throws ResolveException if the folder does not exist or is not in a cgroup v2 file system
     */
    public static CgroupFolder of(Path folder) throws ResolveException {
        String what = "read control group " + folder;
        try {
            Path real = folder.toRealPath();
            Path root = root(real)
                    .orElseThrow(() -> new ResolveException(
                            Reason.NO_FILE,
                            what + ": it is not in a cgroup v2 file system ('mount -t cgroup2' lists them)"));
            int level = real.equals(root) ? 0 : root.relativize(real).getNameCount();
            boolean isOnHost = FileId.of(NAMESPACE).inode() == INITIAL_INODE;
            return new CgroupFolder(real, FileId.of(real).inode(), level, isOnHost ? 1 : NAMESPACE_LEVELS);
        } catch (IOException e) {
            throw new ResolveException(
                    Reason.NO_FILE, what + ": " + ProcFile.reason(e) + " (use its folder below /sys/fs/cgroup)", e);
        }
    }

    /** The innermost mount of type cgroup2 that holds the folder: fields 2 and 3 of proc_pid_mounts(5). */
    private static Optional<Path> root(Path folder) throws IOException {
        List<String> mounts = Files.readAllLines(MOUNTS);
        return mounts.stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length > 2 && fields[2].equals("cgroup2"))
                .map(fields -> Path.of(fields[1]))
                .filter(folder::startsWith)
                .max(Comparator.comparingInt(Path::getNameCount));
    }
}
