package dev.probestream.schema;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.file.Path;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses blocks, one after the other, into an array of its own that grows up to {@link #MAX_BLOCK_BYTES}: Avro's
 * own codecs cannot be called from outside its package, and bound their output far more loosely.
 */
abstract sealed class BlockCodec implements AutoCloseable {
    /** No block decompresses to more than this; ours have 256 KiB and one record at most. */
    static final int MAX_BLOCK_BYTES = 64 << 20;

    /** A power of two below the limit. */
    private byte[] output = new byte[1 << 19];

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
     * @throws BrokenBlockException if the bytes are no whole, undamaged output of this codec
     */
    abstract int decompress(byte[] input, int lengthBytes) throws BrokenBlockException;

    /** The bytes of the block that was decompressed last; valid until the next. */
    byte[] output() {
        return output;
    }

    static BrokenBlockException tooLarge() {
        return new BrokenBlockException(
                "a block of more than " + MAX_BLOCK_BYTES + " bytes, which no recording has", null);
    }

    @Override
    public void close() {}

    /** Makes the output larger, and forgets what it holds unless {@code keptBytes} says otherwise. */
    final byte[] grow(int keptBytes) throws BrokenBlockException {
        if (output.length == MAX_BLOCK_BYTES) {
            throw tooLarge();
        }
        byte[] larger = new byte[2 * output.length];
        System.arraycopy(output, 0, larger, 0, keptBytes);
        output = larger;
        return larger;
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
                        output = grow(done);
                    } else if (more == 0) {
                        throw new BrokenBlockException("a block whose compressed data ends early", null);
                    }
                }
            } catch (DataFormatException e) {
                throw new BrokenBlockException("a block whose compressed data is damaged: " + e.getMessage(), e);
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
            byte[] output = output();
            while (true) {
                try {
                    return context.decompressByteArray(output, 0, output.length, input, 0, lengthBytes);
                } catch (ZstdException e) {
                    if (e.getErrorCode() != Zstd.errDstSizeTooSmall()) {
                        throw new BrokenBlockException(
                                "a block whose compressed data is damaged: " + e.getMessage(), e);
                    }
                    output = grow(0);
                }
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
