package dev.probestream.convert.chrome;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonBufferTest {
    private final JsonBuffer buffer = new JsonBuffer(4);

    @Test
    void numbersAreWrittenAsTheJdkDoes() {
        SplittableRandom random = new SplittableRandom(2);
        for (int round = 0; round < 100_000; round++) {
            long value = random.nextLong() >> random.nextInt(64);
            buffer.clear();
            buffer.number(value);
            assertThat(written()).isEqualTo(Long.toString(value));
        }
        for (long value : new long[] {0, 9, 10, 99, 100, 2147483647L, 2147483648L, Long.MAX_VALUE, Long.MIN_VALUE}) {
            buffer.clear();
            buffer.number(value);
            assertThat(written()).isEqualTo(Long.toString(value));
        }
    }

    @ParameterizedTest
    @CsvSource({"0,0.000", "1,0.001", "999,0.999", "1000,1.000", "1234567890123456,1234567890123.456", "-1,-0.001"})
    void nanosecondsBecomeMicrosecondsWithThreeDecimals(long ns, String microseconds) {
        buffer.microseconds(ns);
        assertThat(written()).isEqualTo(microseconds);
    }

    @Test
    void bytesThatAreNoTextAreReplaced() {
        byte[] bytes = {'a', (byte) 0xFF, 'b', (byte) 0xE2, (byte) 0x82};
        buffer.text(bytes, 0, bytes.length);
        assertThat(written()).isEqualTo("\"a\uFFFDb\uFFFD\uFFFD\"");
    }

    @Test
    void controlCharactersAreEscaped() {
        buffer.text("\u0000\u001f\"\\\n\r\t\u007f");
        assertThat(written()).isEqualTo("\"\\u0000\\u001f\\\"\\\\\\n\\r\\t\u007f\"");
    }

    @Test
    void hexTextHasNoLeadingZeros() {
        buffer.hexText(0);
        buffer.hexText(0x1f);
        buffer.hexText(-1);
        assertThat(written()).isEqualTo("\"0x0\"\"0x1f\"\"0xffffffffffffffff\"");
    }

    private String written() {
        return new String(buffer.bytes(), 0, buffer.sizeBytes(), StandardCharsets.UTF_8);
    }
}
