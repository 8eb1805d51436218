package dev.probestream.convert;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A trace on its way to its place: written beside it, and renamed when it is whole. */
final class TraceFile implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path place;
    private final Path part;
    private final OutputStream out;
    private boolean isInPlace;

    private TraceFile(Path place, Path part, OutputStream out) {
        this.place = place;
        this.part = part;
        this.out = out;
    }

    static TraceFile create(Path place, TraceFormat format) throws IOException {
        Path part = Files.createTempFile(TraceFormat.folderOf(place), "." + place.getFileName() + ".", ".part");
        try {
            OutputStream file = Files.newOutputStream(part);
            return new TraceFile(place, part, format == TraceFormat.CHROME_GZIP ? compressed(file) : file);
        } catch (IOException e) {
            Files.deleteIfExists(part);
            throw e;
        }
    }

    private static OutputStream compressed(OutputStream file) throws IOException {
        return new GZIPOutputStream(file, BUFFER_BYTES) {
            {
                // A trace is repetitive: the fastest level already takes it to a tenth.
                def.setLevel(Deflater.BEST_SPEED);
            }
        };
    }

    OutputStream out() {
        return out;
    }

    /** The trace is whole: puts it in its place, over what was there. */
    void complete() throws IOException {
        out.close();
        Files.move(part, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        isInPlace = true;
    }

    /** Without {@link #complete}: leaves nothing. */
    @Override
    public void close() throws IOException {
        if (!isInPlace) {
            try {
                out.close();
            } finally {
                Files.deleteIfExists(part);
            }
        }
    }
}
