package dev.probestream.bpf.asm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The x86-64 numbers are gcc's offsetof over asm/ptrace.h; those of arm64 follow from its struct user_pt_regs. */
class RegisterTableTest {
    @Test
    void x86FunctionArgumentsLieInTheOrderOfTheSystemVAbi() {
        // rdi, rsi, rdx, rcx, r8, r9
        assertThat(arguments(RegisterTable.X86_64)).containsExactly(112, 104, 96, 88, 72, 64);
    }

    @Test
    void x86SystemCallsTakeTheirFourthArgumentFromR10() {
        assertThat(RegisterTable.X86_64.systemCallArgumentOffset(3)).isEqualTo(96);
        assertThat(RegisterTable.X86_64.systemCallArgumentOffset(4)).isEqualTo(56);
        assertThat(RegisterTable.X86_64.systemCallArgumentOffset(5)).isEqualTo(72);
        assertThat(RegisterTable.X86_64.systemCallArgumentOffsetAtReturn(1)).isEqualTo(112);
        assertThat(RegisterTable.X86_64.systemCallNumberOffset()).isEqualTo(120);
    }

    @Test
    void x86ResultAndPointersLieWherePtRegsPutsThem() {
        assertThat(RegisterTable.X86_64.returnValueOffset()).isEqualTo(80);
        assertThat(RegisterTable.X86_64.framePointerOffset()).isEqualTo(32);
        assertThat(RegisterTable.X86_64.instructionPointerOffset()).isEqualTo(128);
        assertThat(RegisterTable.X86_64.stackPointerOffset()).isEqualTo(152);
        assertThat(RegisterTable.X86_64.stackPointerRiseOnReturnBytes()).isEqualTo(8);
    }

    @Test
    void armPassesEightArgumentsInX0ToX7() {
        assertThat(arguments(RegisterTable.AARCH64)).containsExactly(0, 8, 16, 24, 32, 40, 48, 56);
    }

    @Test
    void armSystemCallsKeepTheirFirstArgumentInOrigX0() {
        assertThat(RegisterTable.AARCH64.systemCallArgumentOffset(1)).isZero();
        assertThat(RegisterTable.AARCH64.systemCallArgumentOffsetAtReturn(1)).isEqualTo(272);
        assertThat(RegisterTable.AARCH64.systemCallArgumentOffsetAtReturn(2)).isEqualTo(8);
        assertThat(RegisterTable.AARCH64.systemCallNumberOffset()).isEqualTo(280);
        assertThat(RegisterTable.AARCH64.systemCallArgumentOffset(2)).isEqualTo(8);
    }

    @Test
    void armResultAndPointersLieWhereUserPtRegsPutsThem() {
        assertThat(RegisterTable.AARCH64.returnValueOffset()).isZero();
        assertThat(RegisterTable.AARCH64.framePointerOffset()).isEqualTo(29 * 8);
        assertThat(RegisterTable.AARCH64.stackPointerOffset()).isEqualTo(31 * 8);
        assertThat(RegisterTable.AARCH64.instructionPointerOffset()).isEqualTo(32 * 8);
        assertThat(RegisterTable.AARCH64.stackPointerRiseOnReturnBytes()).isZero();
    }

    @Test
    void tableIsFoundByJavasName() {
        assertThat(RegisterTable.ofJavaArchitecture("amd64")).contains(RegisterTable.X86_64);
        assertThat(RegisterTable.ofJavaArchitecture("aarch64")).contains(RegisterTable.AARCH64);
        assertThat(RegisterTable.ofJavaArchitecture("riscv64")).isEmpty();
    }

    @Test
    void argumentsOnTheStackAreRefused() {
        assertThatThrownBy(() -> RegisterTable.X86_64.argumentOffset(7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("argument 7 of a function is not in a register on X86_64: only 1 to 6 are");
        assertThatThrownBy(() -> RegisterTable.AARCH64.argumentOffset(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("argument 0 of a function is not in a register on AARCH64: only 1 to 8 are");
    }

    private static int[] arguments(RegisterTable table) {
        return IntStream.rangeClosed(1, table.argumentCount())
                .map(table::argumentOffset)
                .toArray();
    }
}
