package dev.probestream.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Utf8TextTest {
    /** A byte of each class that a decoder distinguishes, with the edges of the classes. */
    private static final int[] EDGES = {
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
        0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFC, 0xFE, 0xFF
    };

    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);

    @Test
    void everyPairOfBytesIsRepairedAsTheJdkDoes() throws CharacterCodingException {
        for (int pair = 0; pair < 0x10000; pair++) {
            assertRepairedLikeJdk((byte) (pair >> 8), (byte) pair);
        }
    }

    @Test
    void everySequenceOfEdgesIsRepairedAsTheJdkDoes() throws CharacterCodingException {
        for (int a : EDGES) {
            assertRepairedLikeJdk((byte) a);
            for (int b : EDGES) {
                for (int c : EDGES) {
                    assertRepairedLikeJdk((byte) a, (byte) b, (byte) c);
                    for (int d : EDGES) {
                        assertRepairedLikeJdk((byte) a, (byte) b, (byte) c, (byte) d);
                    }
                }
            }
        }
    }

    @Test
    void randomTextIsRepairedAsTheJdkDoes() throws CharacterCodingException {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(24)];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(128) : EDGES[random.nextInt(EDGES.length)]);
            }
            assertRepairedLikeJdk(bytes);
        }
    }

    @Test
    void everyCharacterCutAnywhereKeepsTheTextBeforeIt() throws CharacterCodingException {
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint += 37) {
            byte[] text = ("ab" + Character.toString(codePoint)).getBytes(StandardCharsets.UTF_8);
            for (int length = 0; length <= text.length; length++) {
                assertRepairedLikeJdk(Arrays.copyOf(text, length));
            }
        }
    }

    private void assertRepairedLikeJdk(byte... bytes) throws CharacterCodingException {
        CharBuffer expected = decoder.decode(ByteBuffer.wrap(bytes));
        ByteBuffer source = ByteBuffer.wrap(bytes);
        byte[] repaired = new byte[Utf8Text.repairedLength(source, 0, bytes.length)];
        Utf8Text.copyRepaired(source, 0, bytes.length, repaired, 0);
        // Compared by hand: an assertion for each of a million sequences would take a minute.
        if (!Arrays.equals(repaired, expected.toString().getBytes(StandardCharsets.UTF_8))) {
            assertThat(repaired)
                    .as("repair of %s", Arrays.toString(bytes))
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo(expected.toString());
        }
    }
}
