package dev.probestream.sink.position;

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
 * A lock of the operating system on a file, fcntl(2): it ends with the process, however that ends, and a process that is
 * frozen keeps it. The file says who holds it, for a person. One process must not open the file twice: closing either
 * would give the lock back (POSIX).
 */
public final class HeldLock implements AutoCloseable {
    private static final int MAX_OWNER_BYTES = 512;

    private final FileChannel channel;

    private HeldLock(FileChannel channel) {
        this.channel = channel;
    }

    /** The lock on {@code file}, or empty if somebody else has it. {@code owner} is what the file says while we do. */
    public static Optional<HeldLock> tryTake(Path file, String owner) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                channel.truncate(0);
                channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)), 0);
                return Optional.of(new HeldLock(channel));
            }
        } catch (OverlappingFileLockException e) {
            // Another sink in this JVM has it: the same as another process.
        } catch (IOException e) {
            try (channel) {
                throw e;
            }
        }
        channel.close();
        return Optional.empty();
    }

    /** What the file says about whoever holds the lock. */
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
