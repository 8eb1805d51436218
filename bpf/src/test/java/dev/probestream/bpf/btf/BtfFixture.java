package dev.probestream.bpf.btf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** testdata/btf/types.btf. */
final class BtfFixture {
    /** No types at all. */
    static final BtfFile EMPTY = empty();

    private BtfFixture() {}

    static byte[] types() throws IOException {
        try (InputStream resource = BtfFixture.class.getResourceAsStream("/testdata/btf/types.btf")) {
            return Objects.requireNonNull(resource, "types.btf").readAllBytes();
        }
    }

    private static BtfFile empty() {
        ByteBuffer bytes = ByteBuffer.allocate(25).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(0, (short) 0xeb9f).put(2, (byte) 1).putInt(4, 24).putInt(20, 1);
        try {
            return BtfFile.parse("empty", bytes);
        } catch (BtfFormatException e) {
            throw new UncheckedIOException(e);
        }
    }
}
