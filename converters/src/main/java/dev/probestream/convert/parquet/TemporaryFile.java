package dev.probestream.convert.parquet;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A file on its way to its place: written beside it under a hidden name ({@code .NAME.PID.part}), brought to the disk
 * when it is closed, renamed when it is whole.
 */
final class TemporaryFile implements OutputFile {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path place;
    private final Path part;
    private @Nullable Stream stream;

    TemporaryFile(Path place) {
        this.place = place;
        this.part = place.resolveSibling(
                "." + place.getFileName() + "." + ProcessHandle.current().pid() + ".part");
    }

    @Override
    public PositionOutputStream create(long blockSizeHint) throws IOException {
        return createOrOverwrite(blockSizeHint);
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) throws IOException {
        PrivateFiles.createFolders(Objects.requireNonNull(place.getParent()));
        Stream created = new Stream(PrivateFiles.replace(part));
        stream = created;
        return created;
    }

    @Override
    public boolean supportsBlockSize() {
        return false;
    }

    @Override
    public long defaultBlockSize() {
        return 0;
    }

    /** Puts the closed file in its place, over what was there. */
    void putInPlace() throws IOException {
        Files.move(part, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Leaves nothing of it. */
    void discard() throws IOException {
        try {
            if (stream != null) {
                stream.channel.close();
            }
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static final class Stream extends PositionOutputStream {
        private final FileChannel channel;
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        private long flushedBytes;

        private Stream(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public long getPos() {
            return flushedBytes + buffer.position();
        }

        @Override
        public void write(int value) throws IOException {
            if (!buffer.hasRemaining()) {
                flush();
            }
            buffer.put((byte) value);
        }

        @Override
        public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
            if (lengthBytes > buffer.remaining()) {
                flush();
            }
            if (lengthBytes > buffer.remaining()) {
                flushedBytes += lengthBytes;
                writeAll(ByteBuffer.wrap(bytes, offset, lengthBytes));
            } else {
                buffer.put(bytes, offset, lengthBytes);
            }
        }

        @Override
        public void flush() throws IOException {
            flushedBytes += buffer.position();
            writeAll(buffer.flip());
            buffer.clear();
        }

        private void writeAll(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }

        /** Also brings it to the disk: a file in place is never one that a crash of the machine emptied. */
        @Override
        public void close() throws IOException {
            if (channel.isOpen()) {
                try (channel) {
                    flush();
                    channel.force(true);
                }
            }
        }
    }
}
