package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallbackCheckTest {
    @ParameterizedTest
    @CsvSource({
        "llhttp__on_message_begin of Node 18 to 24, 488b4758 4885c0 740f 488b00,    7",
        "llhttp__on_url of Node 18 to 24,           488b4f58 31c0 4885c9 742d 488b, 9",
        "another register is tested,                488b4758 4885c9 740f,           0",
        "the xor clears what is to be tested,       488b4758 31c0 4885c0 740f,      0",
        "the second argument points to it,          488b4658 4885c0 740f,           0",
        "it goes to the third argument,             488b5758 4885d2 740f,           0",
        "no jump,                                   488b4758 4885c0 c3,             0",
        "code that ends in the middle,              488b4758 4885,                  0",
    })
    void jumpBehindTheLoadOfACallbackIsFound(String what, String hex, int offset) {
        byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));

        assertThat(CallbackCheck.end(code, 0, false)).as(what).isEqualTo(offset);
    }

    @Test
    void probeThatReadsTheFourthArgumentStaysInFrontOfWhatOverwritesIt() {
        byte[] code = HexFormat.of().parseHex("488b4f5831c04885c9742d");

        assertThat(CallbackCheck.end(code, 0, true)).isZero();
    }
}
