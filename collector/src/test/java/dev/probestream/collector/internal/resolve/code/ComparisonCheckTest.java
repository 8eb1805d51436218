package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonCheckTest {
    @ParameterizedTest
    @CsvSource({
        "cmpl/mov %rcx;%r8/jne (uv_tcp_connect),     837e100c 4989c8 752f 0fb702, false, 7",
        "the same where the fifth argument is read,  837e100c 4989c8 752f 0fb702, true,  0",
        "cmpl/jne (uv_udp_send),                     837e100f 757a 8b4658,        true,  4",
        "testb/jne (uv_listen),                      f6475803 755a 55,            true,  4",
        "test/je rel32 (uv_getnameinfo),             4885f6 0f8487010000 4885c9,  true,  3",
        "mov/test/jne (llhttp_finish),               8b4718 85c0 7549 55,         true,  5",
        "with a SIB byte,                            837c2410 0c 752f,            false, 0",
        "another operation,                          8346100c 752f,               false, 0",
        "no jump,                                    837e100c 55,                 false, 0",
        "another register is lost,                   837e100c 4889c7 752f,        false, 0",
        "cut off,                                    837e10,                      false, 0",
    })
    void aProbeGoesToTheJumpBehindAComparison(String what, String code, boolean needsR8, int offset) {
        assertThat(ComparisonCheck.end(HexFormat.of().parseHex(code.replace(" ", "")), 0, needsR8))
                .as(what)
                .isEqualTo(offset);
    }
}
