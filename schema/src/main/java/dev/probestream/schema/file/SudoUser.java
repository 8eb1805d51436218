package dev.probestream.schema.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The user who called sudo, to whom the files and folders belong that this process creates as root. sudo(8) names the user
 * in {@code SUDO_UID} and {@code SUDO_GID}; without root's rights the variables mean nothing.
 *
 * <p>The owner is changed through the open file in {@code /proc/self/fd} and not by its path: whoever may rename files in
 * the folder could put another file of root's there meanwhile. A file system without owners (FAT, some of NFS) refuses the
 * change, and the file stays root's.
 */
public final class SudoUser {
    private static final Path OPENED_FILES = Path.of("/proc/self/fd");
    private static final Pattern ID = Pattern.compile("\\d{1,9}");
    private static final long ROOT = 0;

    /** User and group of the caller of sudo; empty if this process is not root or was not started by sudo. */
    private static final Optional<SudoUser> CALLER = of(System.getenv(), effectiveUserId());

    private final int uid;
    private final int gid;

    private SudoUser(int uid, int gid) {
        this.uid = uid;
        this.gid = gid;
    }

    /** The caller of sudo; empty if this process is not root, or was not started through sudo. */
    public static Optional<SudoUser> caller() {
        return CALLER;
    }

    /** @param effectiveUserId of this process */
    static Optional<SudoUser> of(Map<String, String> environment, long effectiveUserId) {
        String uid = environment.getOrDefault("SUDO_UID", "");
        String gid = environment.getOrDefault("SUDO_GID", "");
        boolean isSudo = effectiveUserId == ROOT
                && ID.matcher(uid).matches()
                && ID.matcher(gid).matches()
                && Integer.parseInt(uid) != ROOT;
        return isSudo ? Optional.of(new SudoUser(Integer.parseInt(uid), Integer.parseInt(gid))) : Optional.empty();
    }

    public int uid() {
        return uid;
    }

    /** The effective user id of this process; -1 if it is unknown. */
    public static long effectiveUserId() {
        // The owner of /proc/self is root's for a process that has gained capabilities (proc(5)).
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("Uid:")) {
                    return Long.parseLong(line.split("\\s+")[2]); // real, effective, saved, file system
                }
            }
        } catch (IOException e) {
            return -1; // no /proc
        }
        return -1;
    }

    /** Gives the user a file that this process created and has open. */
    void own(Path file) throws IOException {
        // A descriptor's link has no symbolic links in it.
        Path absolute = file.toAbsolutePath();
        Path opened = Objects.requireNonNull(absolute.getParent())
                .toRealPath()
                .resolve(Objects.requireNonNull(absolute.getFileName()));
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OPENED_FILES)) {
            for (Path descriptor : descriptors) {
                if (opened.equals(targetOf(descriptor))) {
                    give(descriptor);
                    return;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /** Gives the user a file that this process created and closed; its folder must belong to root. */
    void ownClosed(Path file) throws IOException {
        FileChannel held = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        try (held) {
            own(file);
        }
    }

    /** Gives the user a folder that this process created; a folder with files in it is another one. */
    void ownFolder(Path folder) throws IOException {
        try (DirectoryStream<Path> held = Files.newDirectoryStream(folder)) {
            if (!held.iterator().hasNext()) {
                own(folder);
            }
        }
    }

    private static Path targetOf(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (NoSuchFileException e) {
            return descriptor; // closed meanwhile by another thread
        }
    }

    private void give(Path descriptor) {
        try {
            Files.setAttribute(descriptor, "unix:gid", gid);
            Files.setAttribute(descriptor, "unix:uid", uid);
        } catch (IOException e) {
            // The file stays root's: see the class.
        }
    }
}
