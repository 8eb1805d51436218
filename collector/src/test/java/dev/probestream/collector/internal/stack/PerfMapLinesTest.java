package dev.probestream.collector.internal.stack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PerfMapLinesTest {
    private static final long SEED = 20_261_121;

    private final RangeNames names = new RangeNames(1000, 1 << 20);

    private int read(String text) {
        return PerfMapLines.read(ByteBuffer.wrap(text.getBytes(UTF_8)), names);
    }

    @Test
    void linesOfV8AreRead() {
        read("7f0e2c028b40 1b8 JS:*fib /tmp/hot.js:1:13\n16f8680 c Builtin:RegExpCapture1Getter\n");

        assertThat(names.nameOf(0x7f0e2c028b40L)).isEqualTo("JS:*fib /tmp/hot.js:1:13");
        assertThat(names.nameOf(0x7f0e2c028b40L + 0x1b7)).isEqualTo("JS:*fib /tmp/hot.js:1:13");
        assertThat(names.nameOf(0x7f0e2c028b40L + 0x1b8)).isEmpty();
        assertThat(names.nameOf(0x16f8680)).isEqualTo("Builtin:RegExpCapture1Getter");
    }

    @Test
    void prefixAndUtf8AreRead() {
        read("0x1000 0x10 Lfoo/Bär;::baz\r\n");

        assertThat(names.nameOf(0x1000)).isEqualTo("Lfoo/Bär;::baz");
    }

    @Test
    void lineThatIsNotCompleteIsLeftForLater() {
        String whole = "1000 10 first\n";

        assertThat(read(whole + "2000 10 sec")).isEqualTo(whole.length());
        assertThat(names.nameOf(0x2000)).isEmpty();
    }

    @Test
    void lineThatIsNoneIsPassedOver() {
        read("""

                hello world
                1000
                1000 10
                fffffffffffffffff 10 seventeen digits
                1000 0 empty
                7fffffffffffffff 10 past the end
                ffffffff81000000 10 kernel
                0x 10 x
                """);
        read(" 1000 10 x\n");

        assertThat(names.count()).isZero();
    }

    @Test
    void nameIsNotLongerThanV8WritesThem() {
        read("1000 10 " + "x".repeat(100_000) + "\n");

        assertThat(names.nameOf(0x1000)).hasSize(4096);
    }

    @Test
    void anyBytesAreReadWithoutComplaint() {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = "1000 10 a\n7f0e2c028b40 1b8 JS:*fib\n".repeat(3).getBytes(UTF_8);
            for (int changes = random.nextInt(8); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = random.nextBoolean() ? (byte) random.nextInt() : (byte) '\n';
            }
            assertThat(PerfMapLines.read(ByteBuffer.wrap(bytes), names)).isBetween(0, bytes.length);
        }
    }
}
