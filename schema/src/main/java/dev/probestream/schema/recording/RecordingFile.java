package dev.probestream.schema.recording;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file that is read by position, as long as it was when it was opened: an unfinished recording may grow meanwhile.
 *
 * <p>A {@link RandomAccessFile}, because a channel would be closed by an interrupt of the reading thread.
 */
final class RecordingFile implements AutoCloseable {
    private final Path path;
    private final RandomAccessFile file;
    private final long sizeBytes;

    private RecordingFile(Path path, RandomAccessFile file, long sizeBytes) {
        this.path = path;
        this.file = file;
        this.sizeBytes = sizeBytes;
    }

    static RecordingFile open(Path path) throws RecordingException {
        try {
            if (!Files.exists(path)) {
                throw new NoSuchFileException(path.toString());
            }
            if (!Files.isRegularFile(path)) {
                throw new IOException("it is not a regular file, and a recording is read by position");
            }
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
            try {
                return new RecordingFile(path, file, file.length());
            } catch (IOException e) {
                try (file) {
                    throw e;
                }
            }
        } catch (IOException e) {
            throw new RecordingException("cannot open recording " + path + ": " + Reason.of(e), e);
        }
    }

    Path path() {
        return path;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** Fills the first {@code lengthBytes} bytes of {@code target} with what the file has at {@code position}. */
    void read(long position, byte[] target, int lengthBytes) throws RecordingException {
        try {
            file.seek(position);
            file.readFully(target, 0, lengthBytes);
        } catch (EOFException e) {
            throw new RecordingException(
                    "cannot read recording " + path + ": it became shorter than " + sizeBytes
                            + " bytes while it was read; wait until nothing writes to it",
                    e);
        } catch (IOException e) {
            throw new RecordingException(
                    "cannot read recording " + path + " at byte " + position + ": " + Reason.of(e)
                            + "; copy what can be read of it to another disk and try again",
                    e);
        }
    }

    @Override
    public void close() throws RecordingException {
        try {
            file.close();
        } catch (IOException e) {
            throw new RecordingException("cannot close recording " + path + ": " + Reason.of(e), e);
        }
    }
}
