package dev.probestream.broker;

import dev.probestream.schema.file.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * The folder with a broker's topics, locked for one broker at a time. Kafka's own lock is taken too late on a node that
 * is also a controller: the metadata log is open by then.
 */
final class BrokerDataFolder implements AutoCloseable {
    /** Fixed, so that the cluster id stays the same when the folder is emptied and formatted again; sinks store it. */
    private static final String CLUSTER_ID = "UHJvYmVzdHJlYW0wMQ";

    private static final String LOCK = "probestream.lock";
    /** The two indexes of one partition, as Kafka preallocates them (log.index.size.max.bytes). */
    private static final long NEEDED_BYTES = 20L << 20;

    private static final Set<String> OWN_FILES = Set.of(LOCK, BrokerSecret.FILE, BrokerSecret.LIBRDKAFKA_FILE);

    private static final String FORMATTED = "meta.properties";

    private final Path folder;
    private final FileChannel lock;

    private BrokerDataFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /** Creates the folder if it does not exist, locks it, and formats it if it is new. */
    static BrokerDataFolder open(Path folder) throws BrokerException {
        Path absolute = folder.toAbsolutePath().normalize();
        try {
            PrivateFiles.createFolders(absolute);
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": cannot create the folder (" + reason(e)
                            + "); choose another folder with --data",
                    e);
        }
        BrokerDataFolder opened = new BrokerDataFolder(absolute, lock(absolute));
        try {
            opened.format();
            return opened;
        } catch (BrokerException e) {
            opened.close();
            throw e;
        }
    }

    Path path() {
        return folder;
    }

    /** Whether the free space is too small for a broker; false if it is unknown. */
    boolean isFull() {
        try {
            return Files.getFileStore(folder).getUsableSpace() < NEEDED_BYTES;
        } catch (IOException e) {
            return false;
        }
    }

    /** The secret of this folder; one for this start only if clients need none. */
    BrokerSecret secret(BrokerAccess access) throws BrokerException {
        try {
            return access == BrokerAccess.OWNER ? BrokerSecret.of(folder) : BrokerSecret.generate();
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot read the broker's password in " + folder.resolve(BrokerSecret.FILE) + ": " + reason(e)
                            + "; delete the file, and the broker makes a new one",
                    e);
        }
    }

    /** Stores the secret, with the address of this start, in a file for clients. */
    void write(BrokerSecret secret, String bootstrapServers) throws BrokerException {
        try {
            secret.write(folder, bootstrapServers);
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot store the broker's password in " + folder.resolve(BrokerSecret.FILE) + ": " + reason(e), e);
        }
    }

    /** Gives the files that Kafka created as root to the user who called sudo, who can then start the next broker. */
    void giveToCallerOfSudo() {
        try {
            PrivateFiles.giveTreeToCallerOfSudo(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("give the broker's data in " + folder + " to the caller of sudo", e);
        }
    }

    /** Kafka creates its files with the mode that the umask leaves: the folder's mode protects them. */
    private void closeToOthers() throws BrokerException {
        try {
            PrivateFiles.narrowFolder(folder);
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": other users can open this folder, and its mode"
                            + " cannot be changed to 0700 (" + reason(e) + "); choose another folder with --data",
                    e);
        }
    }

    private static FileChannel lock(Path folder) throws BrokerException {
        try {
            FileChannel channel = PrivateFiles.openOrCreate(folder.resolve(LOCK));
            if (!isTaken(channel)) {
                return channel;
            }
            channel.close();
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": cannot create the lock file " + LOCK + " ("
                            + reason(e) + "); choose a writable folder with --data",
                    e);
        }
        throw new BrokerException("cannot keep a broker's data in " + folder
                + ": another broker is using it; stop that broker, or choose another folder with --data");
    }

    private static boolean isTaken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true; // another broker in this process
        }
    }

    private void format() throws BrokerException {
        if (!Files.exists(folder.resolve(FORMATTED))) {
            refuseForeignFiles();
        }
        closeToOthers();
        // The formatter prints "Formatting ..." to this stream.
        PrintStream unread = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        try {
            new Formatter()
                    .setPrintStream(unread)
                    .setNodeId(BrokerProperties.NODE_ID)
                    .setClusterId(CLUSTER_ID)
                    .setControllerListenerName(BrokerProperties.CONTROLLER_LISTENER)
                    .setMetadataLogDirectory(folder.toString())
                    .setDirectories(List.of(folder.toString()))
                    .setIgnoreFormatted(true)
                    .run();
        } catch (Exception e) {
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": it is damaged or not a broker's folder ("
                            + e.getMessage() + "); choose another folder with --data, or delete this one if its"
                            + " data is not needed",
                    e);
        }
    }

    /** Refuses a folder with other files: Kafka treats every subfolder as a topic. */
    private void refuseForeignFiles() throws BrokerException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (!OWN_FILES.contains(String.valueOf(file.getFileName()))) {
                    throw new BrokerException("cannot keep a broker's data in " + folder
                            + ": it contains other files, such as " + file.getFileName() + "; choose an empty"
                            + " folder, or one created by a broker, with --data");
                }
            }
        } catch (IOException e) {
            if (e instanceof BrokerException refused) {
                throw refused;
            }
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": cannot read the folder (" + reason(e) + ")", e);
        }
    }

    private static String reason(IOException failure) {
        if (failure instanceof FileSystemException system && system.getReason() == null) {
            return system.getClass().getSimpleName().replaceAll("Exception$", "") + " " + system.getFile();
        }
        return String.valueOf(failure.getMessage());
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException("release the lock of a broker's data folder", e);
        }
    }
}
