package dev.probestream.broker;

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
import java.nio.file.StandardOpenOption;
import java.util.List;
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
            Files.createDirectories(absolute);
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

    private static FileChannel lock(Path folder) throws BrokerException {
        try {
            FileChannel channel =
                    FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
                if (!String.valueOf(file.getFileName()).equals(LOCK)) {
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
