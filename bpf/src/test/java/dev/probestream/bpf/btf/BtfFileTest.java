package dev.probestream.bpf.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class BtfFileTest {
    private static ByteBuffer types() throws Exception {
        return ByteBuffer.wrap(BtfFixture.types()).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void bytesThatAreNoBtfAreRefused() throws Exception {
        assertThatThrownBy(() -> BtfFile.parse("x", ByteBuffer.allocate(100)))
                .isInstanceOf(BtfFormatException.class)
                .hasMessage("read BTF x at byte 0: is not little-endian BTF (does not start with 9f eb)");
        ByteBuffer bigEndian = types().putShort(0, (short) 0x9feb);
        assertThatThrownBy(() -> BtfFile.parse("x", bigEndian))
                .isInstanceOf(BtfFormatException.class)
                .hasMessageContaining("not little-endian BTF");
    }

    @Test
    void kindOfTheFutureIsNamedAsSuch() throws Exception {
        ByteBuffer future = types();
        int firstType = future.getInt(4) + future.getInt(8);
        future.putInt(firstType + 4, 31 << 24);

        assertThatThrownBy(() -> BtfFile.parse("x", future))
                .isInstanceOf(BtfFormatException.class)
                .hasMessage("read BTF x at byte " + firstType
                        + ": kind 31 is not known; this kernel is newer than Probestream");
    }

    @Test
    void structureThatHoldsItselfIsRefused() throws Exception {
        // struct { struct { <itself> }; <itself> }: 2^n ways to look for a member
        ByteBuffer bytes = ByteBuffer.allocate(24 + 36 + 3).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(0, (short) 0xeb9f)
                .put(2, (byte) 1)
                .putInt(4, 24)
                .putInt(12, 36)
                .putInt(16, 36)
                .putInt(20, 3);
        bytes.putInt(24, 1).putInt(28, 4 << 24 | 2).putInt(32, 8);
        bytes.putInt(40, 1).putInt(52, 1);
        bytes.put(61, (byte) 's');
        BtfFile btf = BtfFile.parse("x", bytes);

        assertThatThrownBy(() -> FieldPath.resolve(btf, "s.nothing"))
                .isInstanceOf(BtfFormatException.class)
                .hasMessageContaining("type 1 holds itself");
    }

    @Test
    void parsingDoesNotDependOnThePositionOfTheBuffer() throws Exception {
        byte[] good = BtfFixture.types();
        ByteBuffer shifted =
                ByteBuffer.allocate(good.length + 5).position(5).put(good).position(5);

        assertThat(BtfFile.parse("x", shifted).typeId("outer", BtfKind.STRUCT)).isPresent();
    }
}
