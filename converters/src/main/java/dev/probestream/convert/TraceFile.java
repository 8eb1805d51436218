package dev.probestream.convert;

import dev.probestream.schema.file.PrivateFiles;
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

    static TraceFile create(Path place, TraceFormat format) throws ConversionException {
        Path part = TraceFormat.folderOf(place)
                .resolve("." + place.getFileName() + "."
                        + ProcessHandle.current().pid() + ".part");
        try {
            OutputStream file = new CheckedOutput(place, PrivateFiles.replaceAsStream(part));
            return new TraceFile(place, part, format == TraceFormat.CHROME_GZIP ? compressed(file) : file);
        } catch (IOException e) {
            throw CheckedOutput.failed(place, e);
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

    /** Throws nothing but {@link ConversionException}. */
    OutputStream out() {
        return out;
    }

    /** The trace is whole: puts it in its place, over what was there, and returns its size in bytes. */
    long complete() throws ConversionException {
        try {
            out.close();
            Files.move(part, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            isInPlace = true;
            return Files.size(place);
        } catch (IOException e) {
            throw CheckedOutput.failed(place, e);
        }
    }

    /** Without {@link #complete}: leaves nothing. */
    @Override
    public void close() throws ConversionException {
        if (isInPlace) {
            return;
        }
        try {
            try {
                out.close();
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            throw CheckedOutput.failed(place, e);
        }
    }
}
