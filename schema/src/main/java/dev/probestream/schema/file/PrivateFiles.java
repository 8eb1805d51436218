package dev.probestream.schema.file;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Creates files and folders that only their owner can use: files with mode 0600 and folders with 0700, less what the
 * umask removes. The mode is given to open(2) and mkdir(2), so that a file is never open to others, not even for a
 * moment. What exists already keeps its mode, except a file that is replaced.
 *
 * <p>Under sudo, files and folders belong to the user who called sudo ({@link SudoUser}).
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<?> FILE = PosixFilePermissions.asFileAttribute(FILE_MODE);
    private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Not guessable: another user could create the file first. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private PrivateFiles() {}

    /**
     * Opens a new, empty file for writing. A file that exists is deleted first, so that its mode, its owner and those
     * who have it open do not matter. A device or a pipe is opened as it is.
     *
     * @param file its path
     * @return the channel; the caller closes it
     * @throws IOException if the system refuses it
     */
    public static FileChannel replace(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return FileChannel.open(file, StandardOpenOption.WRITE);
        }
        Files.deleteIfExists(file);
        return create(file, StandardOpenOption.WRITE);
    }

    /**
     * {@return the same as a stream}
     *
     * @param file its path
     * @throws IOException if the system refuses it
     */
    public static OutputStream replaceAsStream(Path file) throws IOException {
        return Channels.newOutputStream(replace(file));
    }

    /**
     * {@return the same as UTF-8 text}
     *
     * @param file its path
     * @throws IOException if the system refuses it
     */
    public static BufferedWriter replaceAsText(Path file) throws IOException {
        return new BufferedWriter(new OutputStreamWriter(replaceAsStream(file), StandardCharsets.UTF_8));
    }

    /**
     * {@return the same for a thread that may be interrupted, which would close a channel}
     *
     * @param file its path
     * @throws IOException if the system refuses it
     */
    public static RandomAccessFile replaceUninterrupted(Path file) throws IOException {
        replace(file).close();
        return new RandomAccessFile(file.toFile(), "rw");
    }

    /**
     * Opens a file for reading and writing; it is created if it does not exist.
     *
     * @param file its path
     * @return the channel; the caller closes it
     * @throws IOException if the system refuses it
     */
    public static FileChannel openOrCreate(Path file) throws IOException {
        while (true) {
            try {
                return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } catch (NoSuchFileException e) {
                // Created below.
            }
            try {
                return create(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException e) {
                // Another process was faster: its file is opened.
                if (Files.isSymbolicLink(file)) {
                    throw e; // a link to nothing
                }
            }
        }
    }

    /**
     * Opens a file for appending; it is created if it does not exist.
     *
     * @param file its path
     * @return the stream; the caller closes it
     * @throws IOException if the system refuses it
     */
    public static OutputStream append(Path file) throws IOException {
        FileChannel channel = openOrCreate(file);
        channel.position(channel.size());
        return Channels.newOutputStream(channel);
    }

    /**
     * Writes a text to a new file in {@code folder}, under a name that nothing else has.
     *
     * @param folder where it is created
     * @param prefix how its name begins
     * @param suffix how its name ends
     * @param text its contents
     * @return its path
     * @throws IOException if the system refuses it
     */
    public static Path writeUnderNewName(Path folder, String prefix, String suffix, String text) throws IOException {
        while (true) {
            Path file = folder.resolve(prefix + Long.toUnsignedString(RANDOM.nextLong(), 36) + suffix);
            try (FileChannel channel = create(file, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                return file;
            } catch (FileAlreadyExistsException e) {
                // Tried again under another name.
            }
        }
    }

    /**
     * Gives a file of ours a second name, which stays when the first is deleted; where the file system has no hard links the
     * file is copied.
     *
     * @param file its path
     * @param link the second path, where nothing is yet
     * @throws IOException if the system refuses it; {@link java.nio.file.NoSuchFileException} if the file does not exist
     */
    public static void link(Path file, Path link) throws IOException {
        try {
            Files.createLink(link, file);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (FileSystemException | UnsupportedOperationException e) {
            try (InputStream in = Files.newInputStream(file);
                    OutputStream out = replaceAsStream(link)) {
                in.transferTo(out);
            }
        }
    }

    /**
     * Waits until the disk has a file, or the entries of a folder: a new name survives a crash of the machine only then.
     *
     * @param path of the file or folder
     * @throws IOException if the system refuses it
     */
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Creates the folder and its parents, if they do not exist.
     *
     * @param folder its path
     * @return the folder
     * @throws IOException if the system refuses it
     */
    public static Path createFolders(Path folder) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path path = folder.toAbsolutePath(); path != null && !Files.isDirectory(path); path = path.getParent()) {
            missing.push(path);
        }
        for (Path path : missing) {
            try {
                Files.createDirectory(path, FOLDER);
            } catch (FileAlreadyExistsException e) {
                if (Files.isDirectory(path)) {
                    continue; // Another process was faster.
                }
                throw e;
            }
            Optional<SudoUser> caller = SudoUser.caller();
            if (caller.isPresent()) {
                caller.get().ownFolder(path);
            }
        }
        return folder;
    }

    /**
     * Creates a folder among the system's temporary files, for files that no user will see; the caller deletes it. It
     * belongs to the user of this process, also under sudo.
     *
     * @param prefix how its name begins
     * @return its path
     * @throws IOException if the system refuses it
     */
    public static Path createTemporaryFolder(String prefix) throws IOException {
        return Files.createTempDirectory(prefix, FOLDER);
    }

    /**
     * Narrows the mode of a file that another program wrote into a private folder, such as Node into a temporary
     * folder; call this before the file leaves that folder.
     *
     * @param file its path
     * @throws IOException if the system refuses it
     */
    public static void adopt(Path file) throws IOException {
        Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
        mode.addAll(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
        mode.retainAll(FILE_MODE);
        Files.setPosixFilePermissions(file, mode);
        Optional<SudoUser> caller = SudoUser.caller();
        if (caller.isPresent()) {
            caller.get().ownClosed(file);
        }
    }

    /**
     * Takes the rights of group and others from a folder, if they have any.
     *
     * @param folder its path
     * @throws IOException if the system refuses it
     */
    public static void narrowFolder(Path folder) throws IOException {
        Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
        mode.addAll(Files.getPosixFilePermissions(folder));
        if (mode.retainAll(FOLDER.value())) {
            Files.setPosixFilePermissions(folder, mode);
        }
    }

    /**
     * Under sudo: gives the caller those files and folders below {@code folder} that belong to root.
     *
     * @param folder its path
     * @throws IOException if the system refuses it
     */
    public static void giveTreeToCallerOfSudo(Path folder) throws IOException {
        Optional<SudoUser> caller = SudoUser.caller();
        if (caller.isPresent()) {
            caller.get().ownTree(folder);
        }
    }

    private static FileChannel create(Path file, StandardOpenOption... options) throws IOException {
        Set<StandardOpenOption> all = EnumSet.of(StandardOpenOption.CREATE_NEW, options);
        FileChannel channel = FileChannel.open(file, all, FILE);
        try {
            Optional<SudoUser> caller = SudoUser.caller();
            if (caller.isPresent()) {
                caller.get().own(file);
            }
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }
}
