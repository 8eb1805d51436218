package dev.probestream.schema.recording;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import java.nio.file.Path;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses blocks, one after the other, into an array of its own that grows up to {@link #MAX_BLOCK_BYTES}: Avro's
 * own codecs cannot be called from outside its package, and bound their output far more loosely.
 */
abstract sealed class BlockCodec implements AutoCloseable {
    /** No block decompresses to more than this; ours have 256 KiB and one record at most. */
    static final int MAX_BLOCK_BYTES = 32 << 20;

    private byte[] output = new byte[1 << 16];

    /** The codec with this name in the specification; {@code path} is the file that uses it. */
    static BlockCodec of(Path path, String name) throws RecordingException {
        return switch (name) {
            case "null" -> new Plain();
            case "deflate" -> new Deflate();
            case "zstandard" -> {
                ZstdLibrary.load();
                yield new Zstandard();
            }
            default ->
                throw new RecordingFormatException(
                        path,
                        0,
                        "its blocks are compressed with '" + name
                                + "', which is not supported; rewrite it with 'avro-tools recodec --codec zstandard'",
                        null);
        };
    }

    /**
     * Decompresses the first {@code lengthBytes} bytes of {@code input} into {@link #output()}.
     *
     * @return how many bytes there are then
     * @throws BrokenBlockException if the bytes are not the complete, undamaged output of this codec
     */
    abstract int decompress(byte[] input, int lengthBytes) throws BrokenBlockException;

    /** The bytes of the block that was decompressed last; valid until the next. */
    byte[] output() {
        return output;
    }

    static BrokenBlockException tooLarge() {
        return new BrokenBlockException("the block has more than " + MAX_BLOCK_BYTES + " bytes", null);
    }

    @Override
    public void close() {}

    /** Makes room for {@code sizeBytes} bytes; keeps the first {@code keptBytes} of those that are there. */
    final byte[] ensureOutput(long sizeBytes, int keptBytes) throws BrokenBlockException {
        if (sizeBytes > MAX_BLOCK_BYTES) {
            throw tooLarge();
        }
        if (output.length < sizeBytes) {
            byte[] larger = new byte[(int) Math.min(MAX_BLOCK_BYTES, Math.max(sizeBytes, 2L * output.length))];
            System.arraycopy(output, 0, larger, 0, keptBytes);
            output = larger;
        }
        return output;
    }

    private static final class Plain extends BlockCodec {
        private byte[] input = new byte[0];

        @Override
        int decompress(byte[] input, int lengthBytes) {
            this.input = input;
            return lengthBytes;
        }

        @Override
        byte[] output() {
            return input;
        }
    }

    /** Raw deflate (RFC 1951). */
    private static final class Deflate extends BlockCodec {
        private final Inflater inflater = new Inflater(true);

        @Override
        int decompress(byte[] input, int lengthBytes) throws BrokenBlockException {
            inflater.reset();
            inflater.setInput(input, 0, lengthBytes);
            byte[] output = output();
            int done = 0;
            try {
                while (true) {
                    int more = inflater.inflate(output, done, output.length - done);
                    done += more;
                    if (inflater.finished()) {
                        return done;
                    }
                    if (done == output.length) {
                        output = ensureOutput(done + 1L, done);
                    } else if (more == 0) {
                        throw new BrokenBlockException("its compressed data ends early", null);
                    }
                }
            } catch (DataFormatException e) {
                throw new BrokenBlockException("its compressed data is damaged: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            inflater.end();
        }
    }

    /** One or more frames (RFC 8878); ours carry a checksum of their content, which the library verifies. */
    private static final class Zstandard extends BlockCodec {
        private final ZstdDecompressCtx context = new ZstdDecompressCtx();

        @Override
        int decompress(byte[] input, int lengthBytes) throws BrokenBlockException {
            long maxBytes = Math.min(MAX_BLOCK_BYTES, ZstdFrames.maxContentBytes(input, lengthBytes));
            byte[] output = ensureOutput(maxBytes, 0);
            try {
                return context.decompressByteArray(output, 0, output.length, input, 0, lengthBytes);
            } catch (ZstdException e) {
                throw new BrokenBlockException("its compressed data is damaged: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }

    /** The native library behind zstd-jni, which unpacks itself into a temporary folder when it is first needed. */
    static final class ZstdLibrary {
        private ZstdLibrary() {}

        /** Loads the library now, so that a machine where it cannot be loaded fails before anything is recorded. */
        static void load() throws RecordingException {
            try {
                Native.load();
            } catch (LinkageError e) {
                throw new RecordingException(
                        "cannot load the zstd library: " + e.getMessage()
                                + "; name a folder that allows executables with -DZstdTempFolder=FOLDER",
                        e);
            }
        }
    }
}
