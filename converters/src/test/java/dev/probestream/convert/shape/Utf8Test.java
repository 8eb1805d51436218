package dev.probestream.convert.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Utf8Test {
    /** Bytes that make valid and nearly valid sequences often. */
    private static final int[] BOUNDARIES = {
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
        0xF1, 0xF4, 0xF5, 0xFF
    };

    @Test
    void agreesWithTheJdkOnWhatIsValid() {
        SplittableRandom random = new SplittableRandom(1);
        int valid = 0;
        for (int round = 0; round < 30_000; round++) {
            byte[] bytes = new byte[1 + random.nextInt(5)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) BOUNDARIES[random.nextInt(BOUNDARIES.length)];
            }
            assertThat(isValid(bytes)).as("%s", ByteBuffer.wrap(bytes)).isEqualTo(isValidForJdk(bytes));
            valid += isValid(bytes) ? 1 : 0;
        }
        assertThat(valid).isPositive();
    }

    @Test
    void replacementIsTheReplacementCharacter() {
        byte[] bytes = new byte[Utf8.REPLACEMENT_BYTES];
        assertThat(Utf8.putReplacement(bytes, 0)).isEqualTo(3);
        assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo("\uFFFD");
    }

    private static boolean isValid(byte[] bytes) {
        for (int index = 0; index < bytes.length; ) {
            int length = Utf8.characterBytes(bytes, index, bytes.length);
            if (length == 0) {
                return false;
            }
            index += length;
        }
        return true;
    }

    private static boolean isValidForJdk(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
