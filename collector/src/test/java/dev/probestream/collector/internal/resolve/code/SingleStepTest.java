package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SingleStepTest {
    @ParameterizedTest
    @CsvSource({
        "push %rbp (uv__fs_work),                       55488d87, false",
        "push %r12,                                     4154, false",
        "nop,                                           90, false",
        "5-byte nop,                                    0f1f440000, false",
        "call rel32,                                    e800000000, false",
        "jmp rel32,                                     e900000000, false",
        "jmp rel8,                                      eb10, false",
        "je rel8,                                       7405, false",
        "jne rel32,                                     0f8500000000, false",
        "mov %rdi;%rax (uv__queue_work of Node 18),     4889f8, true",
        "lea -0x58(%rdi);%r8 (uv__queue_work of 20),    4c8d47a8, true",
        "cmpl $0xc;0x10(%rsi) (uv_tcp_connect),         837e100c, true",
        "test %rdx;%rdx (uv_queue_work of Node 18),     4885d2, true",
        "sub $8;%rsp,                                   4883ec08, true",
        "endbr64,                                       f30f1efa, true",
        "ret,                                           c3, true",
        "push of a word,                                6655, true",
        "cut off,                                       '', true",
    })
    void instructionsThatTheKernelEmulatesAreNotSingleStepped(String what, String code, boolean isStepped) {
        assertThat(SingleStep.isAt(HexFormat.of().parseHex(code), 0)).as(what).isEqualTo(isStepped);
    }
}
