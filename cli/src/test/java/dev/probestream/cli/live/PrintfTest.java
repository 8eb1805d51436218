package dev.probestream.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.dialect.PrintfConversion;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PrintfTest {
    private static final int ROUNDS = 20_000;

    @Test
    void numbersArePrintedAsJavaPrintsThem() {
        Random random = new Random(7);
        for (int i = 0; i < ROUNDS; i++) {
            char letter = "dxXo".charAt(random.nextInt(4));
            boolean isLeft = random.nextBoolean();
            boolean isZero = !isLeft && random.nextBoolean();
            int width = 1 + random.nextInt(24);
            long number = random.nextLong() >> random.nextInt(64);
            String format = "%" + (isLeft ? "-" : "") + (isZero ? "0" : "") + width + letter;

            assertThat(printed(number, new PrintfConversion(letter, 8, isLeft, isZero, '\0', false, width, -1)))
                    .as(format)
                    .isEqualTo(String.format(Locale.ROOT, format, number));
        }
    }

    @Test
    void aNumberIsCutToItsSize() {
        assertThat(printed(0xffffffffL, plain('d', 4))).isEqualTo("-1");
        assertThat(printed(-1, plain('u', 2))).isEqualTo("65535");
        assertThat(printed(-1, plain('u', 8))).isEqualTo("18446744073709551615");
        assertThat(printed(Long.MIN_VALUE, plain('d', 8))).isEqualTo("-9223372036854775808");
        assertThat(printed(0x7ffe1234L, plain('p', 8))).isEqualTo("0x7ffe1234");
    }

    @Test
    void signPrecisionAndPrefixAreThoseOfC() {
        assertThat(printed(7, new PrintfConversion('d', 4, false, true, '+', false, 5, -1)))
                .isEqualTo("+0007");
        assertThat(printed(255, new PrintfConversion('x', 4, false, true, '\0', true, 8, -1)))
                .isEqualTo("0x0000ff");
        assertThat(printed(5, new PrintfConversion('d', 4, false, true, '\0', false, 6, 3)))
                .isEqualTo("   005");
    }

    @Test
    void textIsCutAndPaddedByCharacters() {
        LineBuffer out = new LineBuffer();
        byte[] text = "äöü".getBytes(StandardCharsets.UTF_8);
        new Printf(out)
                .text(
                        text,
                        0,
                        text.length,
                        Long.MAX_VALUE,
                        new PrintfConversion('s', 8, false, false, '\0', false, 4, 2));

        assertThat(text(out)).isEqualTo("  äö");
    }

    @Test
    void controlCharactersAreShown() {
        byte[] evil = "a\u001b[2J\n\u009bx\u007f\"\\".getBytes(StandardCharsets.UTF_8);

        assertThat(text(new LineBuffer().escaped(evil, 0, evil.length, false)))
                .isEqualTo("a\\x1b[2J\\n\\x9bx\\x7f\"\\");
        assertThat(text(new LineBuffer().escaped(evil, 0, evil.length, true)))
                .isEqualTo("a\\x1b[2J\\n\\x9bx\\x7f\\\"\\\\");
        assertThat(text(new LineBuffer().jsonText("a\u001b\"\\\n"))).isEqualTo("\"a\\u001b\\\"\\\\\\u000a\"");
        assertThat(printed(27, plain('c', 1))).isEqualTo("\\x1b");
    }

    private static PrintfConversion plain(char letter, int sizeBytes) {
        return new PrintfConversion(letter, sizeBytes, false, false, '\0', false, 0, -1);
    }

    private static String printed(long number, PrintfConversion conversion) {
        LineBuffer out = new LineBuffer();
        new Printf(out).number(number, conversion);
        return text(out);
    }

    private static String text(LineBuffer out) {
        return new String(out.bytes(), 0, out.length(), StandardCharsets.UTF_8);
    }
}
