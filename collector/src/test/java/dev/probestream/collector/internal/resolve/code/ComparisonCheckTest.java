package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonCheckTest {
    @ParameterizedTest
    @CsvSource({
        "cmpl/mov %rcx;%r8/jne (uv_tcp_connect),     837e100c 4989c8 752f 0fb702,         false, false, 7",
        "the same where the fifth argument is read,  837e100c 4989c8 752f 0fb702,         false, true,  0",
        "cmpl/jne (uv_udp_send),                     837e100f 757a 8b4658,                true,  true,  4",
        "testb/jne (uv_listen),                      f6475803 755a 55,                    true,  true,  4",
        "test/je rel32 (uv_getnameinfo),             4885f6 0f8487010000 4885c9,          true,  true,  3",
        "mov/test/jne (llhttp_finish),               8b4718 85c0 7549 55,                 true,  true,  5",
        "xor/test/je (nghttp2_check_method),         31c0 4885f6 7428 4801fe,             true,  true,  5",
        "add/cmp/jne (nghttp2_check_path),           4801fe 4839f7 7511 eb26,             false, true,  6",
        "the same where the second argument is read, 4801fe 4839f7 7511 eb26,             true,  false, 0",
        "mov/test $0x20/je (nghttp2_http_on_response_headers), 8b4770 a820 7471 0fb7576c, true,  true,  5",
        "the same; far (Node 18 and 20),             8b87d4000000 a820 0f8482000000,      true,  true,  8",
        "with a SIB byte,                            837c2410 0c 752f,                    false, false, 0",
        "another operation,                          8346100c 752f,                       false, false, 0",
        "no jump,                                    837e100c 55,                         false, false, 0",
        "another register is lost,                   837e100c 4889c7 752f,                false, false, 0",
        "cut off,                                    837e10,                              false, false, 0",
        "cut off behind the load,                    8b87d4000000 a8,                     false, false, 0",
    })
    void aProbeGoesToTheJumpBehindAComparison(String what, String code, boolean needsRsi, boolean needsR8, int offset) {
        assertThat(ComparisonCheck.end(HexFormat.of().parseHex(code.replace(" ", "")), 0, needsRsi, needsR8))
                .as(what)
                .isEqualTo(offset);
    }
}
