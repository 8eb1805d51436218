package dev.probestream.bpf.usdt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfMachine;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsdtArgumentParserTest {
    @ParameterizedTest
    @CsvSource({
        "1@%al, rax, 1, 0", "1@%ah, rax, 1, 8", "2@%ax, rax, 2, 0", "4@%eax, rax, 4, 0", "8@%rax, rax, 8, 0",
        "1@%bl, rbx, 1, 0", "1@%bh, rbx, 1, 8", "1@%ch, rcx, 1, 8", "1@%dh, rdx, 1, 8", "1@%dl, rdx, 1, 0",
        "1@%sil, rsi, 1, 0", "2@%si, rsi, 2, 0", "4@%esi, rsi, 4, 0", "1@%dil, rdi, 1, 0", "4@%edi, rdi, 4, 0",
        "1@%bpl, rbp, 1, 0", "2@%bp, rbp, 2, 0", "8@%rbp, rbp, 8, 0", "1@%spl, rsp, 1, 0", "8@%rsp, rsp, 8, 0",
        "1@%r8b, r8, 1, 0", "2@%r8w, r8, 2, 0", "4@%r8d, r8, 4, 0", "8@%r8, r8, 8, 0", "4@%r15d, r15, 4, 0",
        "1@%eax, rax, 1, 0", "8@%eax, rax, 4, 0", "%eax, rax, 4, 0", "%r9, r9, 8, 0", "%ah, rax, 1, 8"
    })
    void x86RegisterOfEveryWidthIsAPartOfItsWholeRegister(String text, String register, int sizeBytes, int firstBit) {
        UsdtArgument argument = x86(text);
        assertThat(argument.operand()).isEqualTo(UsdtOperand.register(register, firstBit));
        assertThat(argument.sizeBytes()).isEqualTo(sizeBytes);
        assertThat(argument.isSigned()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "-4@$5, 5",
        "4@$-1, 4294967295",
        "-4@$-1, -1",
        "1@$0x80, 128",
        "-1@$0x80, -128",
        "8@$-1, -1",
        "8@$18446744073709551615, -1",
        "-8@$-9223372036854775808, -9223372036854775808",
        "$-3, -3",
        "$7, 7",
        "-4@$-0x10, -16",
        "2@$65535, 65535",
        "4@$4294967295, 4294967295"
    })
    void x86ConstantIsWhatAVariableOfItsSizeHolds(String text, long value) {
        assertThat(x86(text).operand()).isEqualTo(UsdtOperand.constant(value));
    }

    @Test
    void constantWithoutASizeIsSignedWhereItHasASign() {
        assertThat(x86("$-3").isSigned()).isTrue();
        assertThat(x86("$3").isSigned()).isFalse();
        assertThat(x86("$3").sizeBytes()).isEqualTo(8);
    }

    @Test
    void x86MemoryIsADisplacementFromRegisters() {
        assertThat(x86("-4@(%rdi)").operand()).isEqualTo(UsdtOperand.memory("rdi", 0));
        assertThat(x86("-4@-8(%rbp)").operand()).isEqualTo(UsdtOperand.memory("rbp", -8));
        assertThat(x86("4@0x10(%rsp)").operand()).isEqualTo(UsdtOperand.memory("rsp", 16));
        assertThat(x86("4@-0x10(%rsp)").operand()).isEqualTo(UsdtOperand.memory("rsp", -16));
        assertThat(x86("4@16+8(%rsp)").operand()).isEqualTo(UsdtOperand.memory("rsp", 24));
        assertThat(x86("8(%rsp)").operand()).isEqualTo(UsdtOperand.memory("rsp", 8));
        assertThat(x86("8(%rsp)").sizeBytes()).isEqualTo(8);
    }

    @Test
    void x86IndexIsKeptWithItsScale() {
        assertThat(x86("8@-8(%rbp,%rax,4)").operand()).isEqualTo(UsdtOperand.memory("rbp", -8, "rax", 4));
        assertThat(x86("8@(%rbp,%rax,8)").operand()).isEqualTo(UsdtOperand.memory("rbp", 0, "rax", 8));
        assertThat(x86("8@(%rbp,%r12)").operand()).isEqualTo(UsdtOperand.memory("rbp", 0, "r12", 1));
        assertThat(x86("8@0(,%rax,8)").operand()).isEqualTo(UsdtOperand.memory("", 0, "rax", 8));
        assertThat(x86("8@(,%rax,2)").operand()).isEqualTo(UsdtOperand.memory("", 0, "rax", 2));
    }

    @ParameterizedTest
    @CsvSource({
        "-4@counter(%rip), counter, 0", "4@counter+4(%rip), counter, 4", "4@4+counter(%rip), counter, 4",
        "4@counter-4(%rip), counter, -4", "4@-4+counter(%rip), counter, -4", "4@counter.1234(%rip), counter.1234, 0",
        "4@a$b+8(%rip), a$b, 8", "4@.LC0(%rip), .LC0, 0", "4@environ@@GLIBC_2.2.5(%rip), environ@@GLIBC_2.2.5, 0",
        "counter, counter, 0", "4@counter+0x10+8(%rip), counter, 24", "4@_ZN1a1bE.llvm.77(%rip), _ZN1a1bE.llvm.77, 0"
    })
    void x86SymbolKeepsItsOffset(String text, String symbol, long offset) {
        assertThat(x86(text).operand()).isEqualTo(UsdtOperand.symbol(symbol, offset));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-8f@%xmm0|BPF programs do not see this register",
                "8@%xmm15|BPF programs do not see this register",
                "4f@%st(0)|BPF programs do not see this register",
                "2f@8(%rsp)|a floating-point number of 2 bytes",
                "8f@%eax|a floating-point number of 4 bytes",
                "-4@%fs:-4|thread-local",
                "-4@%fs:errno@tpoff|thread-local",
                "4@x@GOTPCREL(%rip)|through a table of the linker",
                "4@table(,%rax,4)|at a symbol and a register",
                "8@$table|the address of a symbol",
                "8@4096|at the fixed address",
                "16@%rax|a size of 16 bytes",
                "3@%rax|a size of 3 bytes",
                "4@|is not understood",
                "4@$|is not understood",
                "4@%rzx|is not understood",
                "4@8(%eax)|is not understood",
                "4@8(%rax,%rsp,1)|is not understood",
                "4@8(%rax,%rbx,3)|is not understood",
                "4@8(%rax|is not understood",
                "4@a+b(%rip)|is not understood",
                "4@-a(%rip)|is not understood",
                "4@8(%rip)|is not understood",
                "8@99999999999999999999(%rax)|is not understood"
            })
    void whatCannotBeReadSaysWhy(String text, String reason) {
        assertThat(x86(text).operand().kind()).isEqualTo(UsdtOperand.Kind.UNREADABLE);
        assertThat(x86(text).operand().obstacle()).contains(reason);
        assertThat(x86(text).text()).isEqualTo(text);
    }

    @Test
    void floatingPointNumbersInMemoryAndGeneralRegistersAreRead() {
        assertThat(x86("8f@8(%rsp)").operand()).isEqualTo(UsdtOperand.memory("rsp", 8));
        assertThat(x86("8f@8(%rsp)").isFloat()).isTrue();
        assertThat(x86("4f@%eax").operand()).isEqualTo(UsdtOperand.register("rax", 0));
        assertThat(x86("-8f@.LC0(%rip)").operand()).isEqualTo(UsdtOperand.symbol(".LC0", 0));
        assertThat(x86("4f@$0x3fc00000").operand()).isEqualTo(UsdtOperand.constant(0x3fc00000L));
        assertThat(x86("8f@$4609434218613702656").operand()).isEqualTo(UsdtOperand.constant(0x3ff8000000000000L));
    }

    @Test
    void argumentsEndAtWhiteSpaceOutsideOfBrackets() {
        assertThat(UsdtArgumentParser.parse(ElfMachine.X86_64, " 8@%rdi  -4@$5\t1@%al "))
                .extracting(UsdtArgument::text)
                .containsExactly("8@%rdi", "-4@$5", "1@%al");
        assertThat(UsdtArgumentParser.parse(ElfMachine.X86_64, "%rdi %rsi"))
                .extracting(UsdtArgument::text)
                .containsExactly("%rdi", "%rsi");
        assertThat(UsdtArgumentParser.parse(ElfMachine.AARCH64, "8@[sp, 12] -4@[x0, x1, lsl 3] 8@x0"))
                .extracting(UsdtArgument::text)
                .containsExactly("8@[sp, 12]", "-4@[x0, x1, lsl 3]", "8@x0");
        assertThat(UsdtArgumentParser.parse(ElfMachine.X86_64, "")).isEmpty();
    }

    @Test
    void bracketThatIsNeverClosedSpoilsOneArgument() {
        assertThat(UsdtArgumentParser.parse(ElfMachine.X86_64, "8@(%rdi -4@$5 1@%al"))
                .extracting(argument -> argument.operand().kind())
                .containsExactly(UsdtOperand.Kind.UNREADABLE, UsdtOperand.Kind.CONSTANT, UsdtOperand.Kind.REGISTER);
    }

    @Test
    void arm64PlacesAreRead() {
        assertThat(arm64("-4@5").operand()).isEqualTo(UsdtOperand.constant(5));
        assertThat(arm64("4@-1").operand()).isEqualTo(UsdtOperand.constant(0xffffffffL));
        assertThat(arm64("8@x0").operand()).isEqualTo(UsdtOperand.register("x0", 0));
        assertThat(arm64("8@x30").operand()).isEqualTo(UsdtOperand.register("x30", 0));
        assertThat(arm64("-4@w19").operand()).isEqualTo(UsdtOperand.register("x19", 0));
        assertThat(arm64("8@w19").sizeBytes()).isEqualTo(4);
        assertThat(arm64("8@sp").operand()).isEqualTo(UsdtOperand.register("sp", 0));
        assertThat(arm64("4@wzr").operand()).isEqualTo(UsdtOperand.constant(0));
        assertThat(arm64("8@[x0]").operand()).isEqualTo(UsdtOperand.memory("x0", 0));
        assertThat(arm64("8@[sp, 12]").operand()).isEqualTo(UsdtOperand.memory("sp", 12));
        assertThat(arm64("8@[sp,#-16]").operand()).isEqualTo(UsdtOperand.memory("sp", -16));
        assertThat(arm64("8@[x0, x1, lsl 3]").operand()).isEqualTo(UsdtOperand.memory("x0", 0, "x1", 8));
        assertThat(arm64("8@[x0, x1]").operand()).isEqualTo(UsdtOperand.memory("x0", 0, "x1", 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "8f@d0|BPF programs do not see this register",
                "8@[x0, w1, sxtw 3]|is not understood",
                "8@[w0, 4]|is not understood",
                "8@[x0, 4]!|is not understood",
                "8@x31|is not understood",
                "8@%rax|is not understood",
                "8@[x0, :lo12:counter]|is not understood"
            })
    void arm64PlaceThatCannotBeReadSaysWhy(String text, String reason) {
        assertThat(arm64(text).operand().obstacle()).contains(reason);
    }

    @Test
    void argumentsOfAnotherProcessorAreKeptAsText() {
        assertThat(UsdtArgumentParser.parse(ElfMachine.OTHER, "8@a0 8@a1"))
                .extracting(argument -> argument.operand().kind())
                .containsExactly(UsdtOperand.Kind.UNREADABLE, UsdtOperand.Kind.UNREADABLE);
    }

    @Test
    void noTextFails() {
        String alphabet = "-0123456789f@$%()[]+,. \"raxdiplsymw#:";
        Random random = new Random(20_261_123);
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(30); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            for (ElfMachine machine : ElfMachine.values()) {
                List<UsdtArgument> arguments = UsdtArgumentParser.parse(machine, text.toString());
                assertThat(arguments).as(text.toString()).allMatch(UsdtArgumentParserTest::isSound);
            }
        }
    }

    private static boolean isSound(UsdtArgument argument) {
        UsdtOperand operand = argument.operand();
        return Integer.bitCount(argument.sizeBytes()) == 1
                && argument.sizeBytes() <= 8
                && (operand.kind() == UsdtOperand.Kind.UNREADABLE)
                        != operand.obstacle().isEmpty();
    }

    private static UsdtArgument x86(String text) {
        return only(UsdtArgumentParser.parse(ElfMachine.X86_64, text));
    }

    private static UsdtArgument arm64(String text) {
        return only(UsdtArgumentParser.parse(ElfMachine.AARCH64, text));
    }

    private static UsdtArgument only(List<UsdtArgument> arguments) {
        assertThat(arguments).hasSize(1);
        return arguments.get(0);
    }
}
