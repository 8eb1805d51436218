package dev.probestream.schema.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The user who called sudo, to whom the files and folders belong that this process creates as root. sudo(8) names the user
 * in {@code SUDO_UID} and {@code SUDO_GID}; without root's rights the variables mean nothing.
 *
 * <p>The owner is changed through the open file in {@code /proc/self/fd} and not by its path: a user who may rename
 * files in the folder could put another file of root's there meanwhile. A file system without owners (FAT, some of NFS)
 * refuses the change, and the file stays root's.
 */
public final class SudoUser {
    private static final Path OPENED_FILES = Path.of("/proc/self/fd");
    /** name:password:uid:gid:comment:home:shell. */
    private static final Path PASSWD = Path.of("/etc/passwd");

    private static final int UID_FIELD = 2;
    private static final int HOME = 5;
    private static final Pattern ID = Pattern.compile("\\d{1,9}");
    private static final int ROOT = 0;
    private static final String UID = "unix:uid";

    /** User and group of the caller of sudo; empty if this process is not root or was not started by sudo. */
    private static final Optional<SudoUser> CALLER = of(System.getenv(), effectiveUserId());

    private final int uid;
    private final int gid;

    private SudoUser(int uid, int gid) {
        this.uid = uid;
        this.gid = gid;
    }

    /** {@return the caller of sudo; empty if this process is not root, or was not started through sudo} */
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

    /** {@return the user id of the caller} */
    public int uid() {
        return uid;
    }

    /** {@return the home according to passwd(5); empty for a user who is not in that file, or has no home} */
    public Optional<Path> home() {
        try (Stream<String> users = Files.lines(PASSWD, StandardCharsets.ISO_8859_1)) {
            return users.map(line -> line.split(":"))
                    .filter(user -> user.length > HOME && user[UID_FIELD].equals(String.valueOf(uid)))
                    .map(user -> Path.of(user[HOME]))
                    .filter(home -> home.isAbsolute() && Files.isDirectory(home))
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    /** {@return the effective user id of this process; -1 if it is unknown} */
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

    /** {@link #own} needs an open descriptor, which a folder has while it is listed. */
    @SuppressWarnings("try") // "held" is only to be open
    private void ownHeld(Path folder) throws IOException {
        try (DirectoryStream<Path> held = Files.newDirectoryStream(folder)) {
            own(folder);
        }
    }

    /**
     * Gives the user the files of root in a folder that is the user's. A file with another name elsewhere, or reached by a
     * symbolic link, is not of this folder alone and stays root's.
     */
    void ownTree(Path folder) throws IOException {
        if (!Files.getAttribute(folder, UID, LinkOption.NOFOLLOW_LINKS).equals(uid)) {
            return; // the folder is not the user's, so its files are not either
        }
        List<Path> paths;
        try (Stream<Path> tree = Files.walk(folder)) {
            paths = tree.toList();
        }
        for (Path path : paths) {
            Map<String, Object> found = Files.readAttributes(path, "unix:uid,nlink", LinkOption.NOFOLLOW_LINKS);
            if (!Integer.valueOf(ROOT).equals(found.get("uid"))) {
                continue;
            }
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                ownHeld(path);
            } else if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                    && Integer.valueOf(1).equals(found.get("nlink"))) {
                ownClosed(path);
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
            Files.setAttribute(descriptor, UID, uid);
        } catch (IOException e) {
            // The file stays root's: see the class.
        }
    }
}
