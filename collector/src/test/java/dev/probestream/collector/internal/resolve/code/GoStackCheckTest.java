package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoStackCheckTest {
    @ParameterizedTest
    @CsvSource({
        "small frame/jbe rel8,                       493b6610 7610 4883ec18,                               6",
        "small frame/jbe rel32,                      493b6610 0f86f90c0000 4881ec,                         10",
        "larger frame (serverHandler.ServeHTTP),     4c8d6424d8 4d3b6610 0f8654030000 4881eca8000000,      15",
        "large frame (Transport.roundTrip),          4c8da42460feffff 4d3b6610 0f86f90c0000 4881ec,        18",
        "huge frame,                                 4989e4 4981ecf8e90000 0f8285000000 4d3b6610 0f8664000000 48, 26",
        "huge frame/rel8,                            4989e4 4981ecf8e90000 7210 4d3b6610 7610 4881ec,      18",
        "huge frame without its jump,                4989e4 4981ecf8e90000 4d3b6610 7610 4881ec,           0",
        "on the system's stack,                      493b6618 7610 4883ec18,                               6",
        "Go 1.16/small frame,                        64488b0c25f8ffffff 483b6110 0f86b0000000 4883ec58,    19",
        "Go 1.16/large frame,                        64488b0c25f8ffffff 488d442480 483b4110 7610 4881ec,   20",
        "Go 1.16/frame of 32 bits,                   64488b0c25f8ffffff 488d842460feffff 483b4110 7610 48, 23",
        "a leaf without a check,                     4883ec18 4889,                                        0",
        "a frame that is compared with another,      4c8d6424d8 493b6610 0f8654030000 4881ec,              0",
        "another jump,                               493b6610 7710 4883ec18,                               0",
        "C,                                          554889e5 4157,                                        0",
        "code that ends in the middle,               493b66,                                               0",
    })
    void functionGoesOnBehindTheCheck(String what, String hex, int offset) {
        byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));

        assertThat(GoStackCheck.end(code, 0)).as(what).isEqualTo(offset);
    }
}
