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
 * The folder that keeps a broker's topics between its runs, locked for one broker at a time. Kafka's own lock comes too
 * late for a node that is a controller too: the metadata log is open by then.
 */
final class BrokerDataFolder implements AutoCloseable {
    /** Fixed: what a sink knows of a cluster stays true when the folder is emptied and formatted again. */
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

    /** Makes the folder if it is missing, locks it, and formats it if it is new. */
    static BrokerDataFolder open(Path folder) throws BrokerException {
        Path absolute = folder.toAbsolutePath().normalize();
        try {
            Files.createDirectories(absolute);
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": the folder cannot be made (" + reason(e)
                            + "); name another with --data",
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

    /** Whether so little room is left that a broker fails for it; false when nobody can tell. */
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
                    "cannot keep a broker's data in " + folder + ": the lock file " + LOCK + " cannot be made ("
                            + reason(e) + "); name a folder that may be written with --data",
                    e);
        }
        throw new BrokerException("cannot keep a broker's data in " + folder
                + ": another broker is using it; end that one, or name another folder with --data");
    }

    private static boolean isTaken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true; // another broker of this very process
        }
    }

    private void format() throws BrokerException {
        if (!Files.exists(folder.resolve(FORMATTED))) {
            refuseForeignFiles();
        }
        // It writes "Formatting ..." to where it is told.
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
                    "cannot keep a broker's data in " + folder + ": it is damaged or not ours (" + e.getMessage()
                            + "); name another folder with --data, or remove this one if its data is not needed",
                    e);
        }
    }

    /** Kafka takes every folder in it for a topic: never format a folder that is somebody's home. */
    private void refuseForeignFiles() throws BrokerException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (!String.valueOf(file.getFileName()).equals(LOCK)) {
                    throw new BrokerException("cannot keep a broker's data in " + folder
                            + ": it holds other files, such as " + file.getFileName()
                            + "; name an empty folder, or one that a broker made, with --data");
                }
            }
        } catch (IOException e) {
            if (e instanceof BrokerException refused) {
                throw refused;
            }
            throw new BrokerException(
                    "cannot keep a broker's data in " + folder + ": it cannot be read (" + reason(e) + ")", e);
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
