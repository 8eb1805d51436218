package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.elf.ElfMachine;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class X86InstructionTest {
    private static final long SEED = 20_261_121;

    private static int length(String hex) {
        return X86Instruction.length(HexFormat.of().parseHex(hex.replace(" ", "")), 0);
    }

    @Test
    void instructionsHaveTheLengthsOfTheManual() {
        assertThat(length("55")).isEqualTo(1); // push %rbp
        assertThat(length("f3 0f 1e fa")).isEqualTo(4); // endbr64
        assertThat(length("48 83 ec 18")).isEqualTo(4); // sub $0x18,%rsp
        assertThat(length("48 b8 88 77 66 55 44 33 22 11")).isEqualTo(10); // movabs
        assertThat(length("66 c7 44 24 08 34 12")).isEqualTo(7); // movw $0x1234,8(%rsp)
        assertThat(length("64 48 8b 04 25 28 00 00 00")).isEqualTo(9); // mov %fs:0x28,%rax
        assertThat(length("f6 c1 01")).isEqualTo(3); // test $1,%cl
        assertThat(length("f6 d9")).isEqualTo(2); // neg %cl
        assertThat(length("66 0f 3a 0f c1 04")).isEqualTo(6); // palignr
        assertThat(length("c5 fd 70 c1 d8")).isEqualTo(5); // vpshufd
        assertThat(length("62 f1 fe 48 6f 4e 01")).isEqualTo(7); // vmovdqu64 64(%rsi),%zmm1
        assertThat(length("66 2e 0f 1f 84 00 00 00 00 00")).isEqualTo(10); // nopw
    }

    @Test
    void whatIsCutOffOrNoInstructionIsUnknown() {
        assertThat(length("")).isEqualTo(-1);
        assertThat(length("48")).isEqualTo(-1);
        assertThat(length("48 83 ec")).isEqualTo(-1);
        assertThat(length("0f")).isEqualTo(-1);
        assertThat(length("06")).isEqualTo(-1); // push %es: not in 64-bit mode
        assertThat(length("8f 48 78 c3 c8 38")).isEqualTo(-1); // vprotq: AMD's XOP
    }

    @Test
    void anyBytesHaveALengthOrNone() {
        Random random = new Random(SEED);
        byte[] code = new byte[20];
        for (int i = 0; i < 1_000_000; i++) {
            random.nextBytes(code);
            assertThat(X86Instruction.length(code, 0)).isBetween(-1, code.length);
        }
    }

    @Test
    void everyInstructionOfTheCLibraryIsAsLongAsObjdumpSays() throws Exception {
        assumeTrue(ElfMachine.ofThisHost() == ElfMachine.X86_64, "the C library of this machine is not for x86-64");
        ElfFixture.needs("objdump", "gcc");
        String libc = ElfFixture.run("gcc", "-print-file-name=libc.so.6").strip();
        Process objdump = new ProcessBuilder("objdump", "-d", "--insn-width=16", libc).start();
        int count = 0;
        try (BufferedReader lines = objdump.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split("\t");
                // objdump writes fwait and what follows it as one.
                if (fields.length == 3 && !fields[2].contains("(bad)") && !fields[1].startsWith("9b ")) {
                    byte[] bytes = HexFormat.of().parseHex(fields[1].replace(" ", ""));
                    byte[] padded = Arrays.copyOf(bytes, bytes.length + X86Instruction.MAX_BYTES);
                    if (X86Instruction.length(padded, 0) != bytes.length) {
                        throw new AssertionError(line + " has " + X86Instruction.length(padded, 0) + " bytes");
                    }
                    count++;
                }
            }
        }
        assertThat(count).isGreaterThan(100_000);
    }
}
