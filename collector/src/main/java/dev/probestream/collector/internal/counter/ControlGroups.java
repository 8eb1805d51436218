package dev.probestream.collector.internal.counter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folders of the control groups that one process is in, from /proc/PID/cgroup (cgroups(7)) and the mounts of this
 * process or, if those do not show the group, of the target's container. Both are written as the reader sees them, so a
 * group lies below the root of a mount if its path begins with it.
 */
final class ControlGroups {
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    /** The options of a mount in /proc/PID/mountinfo (proc_pid_mountinfo(5)): its root, its mount point. */
    private static final int ROOT_FIELD = 3;

    private static final int MOUNT_POINT_FIELD = 4;

    private final Path proc;
    private final int pid;
    private String known = "";
    private List<Group> groups = List.of();

    /**
     * A control group.
     *
     * @param folder its files
     * @param isUnified whether it is of version 2; of version 1 only groups of the controller cpu are here
     */
    record Group(Path folder, boolean isUnified) {}

    private record Mount(String root, Path point, boolean isUnified) {}

    /**
     * The groups of a process.
     *
     * @param proc where procfs is mounted
     */
    ControlGroups(Path proc, int pid) {
        this.proc = proc;
        this.pid = pid;
    }

    /**
     * The process's own groups, each followed by its ancestors as far as they can be seen.
     *
     * @throws IOException if the process has ended
     */
    List<Group> read() throws IOException {
        String text = Files.readString(proc.resolve(pid + "/cgroup"));
        if (!text.equals(known)) {
            groups = find(text);
            known = text;
        }
        return groups;
    }

    private List<Group> find(String text) throws IOException {
        List<Mount> mounts = new ArrayList<>(mounts("self", Path.of("/")));
        mounts.addAll(mounts(Integer.toString(pid), proc.resolve(pid + "/root")));
        List<Group> found = new ArrayList<>();
        for (String line : text.lines().toList()) {
            // hierarchy:controllers:path; no controllers in version 2
            String[] parts = line.split(":", 3);
            boolean isUnified = parts.length == 3 && parts[1].isEmpty();
            if (isUnified || (parts.length == 3 && List.of(parts[1].split(",")).contains("cpu"))) {
                found.addAll(upwards(mounts, parts[2], isUnified));
            }
        }
        return List.copyOf(found);
    }

    private static List<Group> upwards(List<Mount> mounts, String path, boolean isUnified) {
        for (Mount mount : mounts) {
            Optional<Path> folder = mount.isUnified() == isUnified ? below(mount, path) : Optional.empty();
            if (folder.filter(Files::isDirectory).isPresent()) {
                List<Group> groups = new ArrayList<>();
                for (Path at = folder.get(); at != null && at.startsWith(mount.point()); at = at.getParent()) {
                    groups.add(new Group(at, isUnified));
                }
                return groups;
            }
        }
        return List.of();
    }

    /** Empty if the mount does not show the group: a path outside of the reader's namespace begins with /.. */
    private static Optional<Path> below(Mount mount, String path) {
        String root = mount.root().equals("/") ? "" : mount.root();
        if (!path.equals(root) && !path.startsWith(root + "/")) {
            return Optional.empty();
        }
        Path rest = Path.of("." + path.substring(root.length())).normalize();
        return rest.startsWith("..")
                ? Optional.empty()
                : Optional.of(mount.point().resolve(rest).normalize());
    }

    private List<Mount> mounts(String process, Path root) throws IOException {
        List<Mount> mounts = new ArrayList<>();
        for (String line :
                Files.readString(proc.resolve(process + "/mountinfo")).lines().toList()) {
            String[] fields = line.split(" ");
            int separator = List.of(fields).indexOf("-");
            boolean isUnified = fields[separator + 1].equals("cgroup2");
            boolean isOfCpu = fields[separator + 1].equals("cgroup")
                    && List.of(fields[separator + 3].split(",")).contains("cpu");
            if (isUnified || isOfCpu) {
                Path point =
                        root.resolve("." + unescaped(fields[MOUNT_POINT_FIELD])).normalize();
                mounts.add(new Mount(unescaped(fields[ROOT_FIELD]), point, isUnified));
            }
        }
        return mounts;
    }

    /** Blanks and line breaks are written as \040 and \012. */
    private static String unescaped(String text) {
        Matcher octal = OCTAL.matcher(text);
        return octal.replaceAll(
                found -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(found.group(1), 8))));
    }
}
