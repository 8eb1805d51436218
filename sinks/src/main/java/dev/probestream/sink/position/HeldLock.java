package dev.probestream.sink.position;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * An fcntl(2) lock on a file. The operating system releases it when the process ends, however that ends; a frozen process
 * keeps it. The file contains the name of the owner, for messages. One process must not open the file twice: closing
 * either descriptor would release the lock (POSIX).
 */
public final class HeldLock implements AutoCloseable {
    private static final int MAX_OWNER_BYTES = 512;

    private final FileChannel channel;

    private HeldLock(FileChannel channel) {
        this.channel = channel;
    }

    /** The lock on {@code file}, or empty if it is taken. {@code owner} is written into the file. */
    public static Optional<HeldLock> tryTake(Path file, String owner) throws IOException {
        FileChannel channel = PrivateFiles.openOrCreate(file);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
                return Optional.of(new HeldLock(channel));
            }
        } catch (OverlappingFileLockException e) {
            // Another sink in this JVM holds it: treated like another process.
        } catch (IOException e) {
            try (channel) {
                throw e;
            }
        }
        channel.close();
        return Optional.empty();
    }

    /** The owner of the lock, as written in the file. */
    public static String owner(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer text = ByteBuffer.allocate(MAX_OWNER_BYTES);
            channel.read(text);
            return StandardCharsets.UTF_8.decode(text.flip()).toString();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
