package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EntryCheckTest {
    @ParameterizedTest
    @CsvSource({
        "test %rsi/je rel32/push %rbp (uv_fs_stat of Node 18),  4885f60f8451010000 55, 9",
        "test %rsi/je rel8/push %rbp,                           4885f67410 55,         5",
        "test %edi/je rel8/push %r14,                           85ff7410 4156,         4",
        "push at once,                                          554889e5 90,           0",
        "test of memory,                                        48850674 10 55,        0",
        "cmpb/jne rel8/push %rbp (PerformCheckpoint of Node 24), 807f4c007510 55,      6",
        "cmpb with a SIB byte,                                  807c24100075 0555,     0",
        "ja instead of je,                                      4885f67710 55,         0",
        "no push behind the jump,                               4885f67410 4889e5,     0",
        "code that ends in the middle,                          4885f6,                0",
    })
    void pushBehindACheckIsFound(String what, String hex, int offset) {
        byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));

        assertThat(EntryCheck.end(code, 0)).as(what).isEqualTo(offset);
    }
}
