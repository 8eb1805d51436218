package dev.probestream.schema.recording;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * The file under a container that is being written. A flush marks the bytes written so far as a whole block; after a
 * write has failed the file is truncated to there, and accepts no further writes.
 *
 * <p>A {@link RandomAccessFile}, because a channel would be closed by an interrupt of the writing thread.
 */
final class WholeBlocksFile extends OutputStream {
    private final RandomAccessFile file;
    private long writtenBytes;
    private long wholeBytes;
    private boolean isBroken;

    private WholeBlocksFile(RandomAccessFile file) {
        this.file = file;
    }

    /** Creates the file; a file that exists is deleted first. */
    static WholeBlocksFile create(Path path) throws IOException {
        return new WholeBlocksFile(PrivateFiles.replaceUninterrupted(path));
    }

    @Override
    public void write(int oneByte) throws IOException {
        write(new byte[] {(byte) oneByte}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
        if (isBroken) {
            throw new IOException("an earlier write has failed");
        }
        file.write(bytes, offset, lengthBytes);
        writtenBytes += lengthBytes;
    }

    /** Marks the end of a whole block; nothing is buffered here. */
    @Override
    public void flush() {
        if (!isBroken) {
            wholeBytes = writtenBytes;
        }
    }

    /** Waits until the disk has what was written. */
    void sync() throws IOException {
        file.getFD().sync();
    }

    /** End of the last whole block: how long the file is, or will be after {@link #cutBack}. */
    long wholeBytes() {
        return wholeBytes;
    }

    /** Takes away what a failed write has left behind the last whole block, and refuses every later write. */
    void cutBack() throws IOException {
        isBroken = true;
        file.setLength(wholeBytes);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
