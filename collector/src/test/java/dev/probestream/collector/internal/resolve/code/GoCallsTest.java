package dev.probestream.collector.internal.resolve.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.GoProgram;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFormatException;
import dev.probestream.bpf.elf.ElfMachine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoCallsTest {
    private static final int FLAGS_OFFSET = 15;
    private static final int INLINE_OFFSET = 32;

    @TempDir
    static Path folder;

    @ParameterizedTest
    @CsvSource({
        "go1.16.15, X86_64, true",
        "go1.17, X86_64, false",
        "go1.17.3, AARCH64, true",
        "go1.18, AARCH64, false",
        "go1.22.1 X:boringcrypto, X86_64, false",
        "devel go1.16-a1b2c3 Mon Jan 4, X86_64, true",
        "go2.0, X86_64, false",
        "nonsense, X86_64, false",
    })
    void registersAreUsedSinceTheReleaseOfTheMachine(String version, ElfMachine machine, boolean isOld) {
        assertThat(GoCalls.isOld(version, machine)).isEqualTo(isOld);
    }

    @Test
    void aFileOfGoSaysItsVersionAndItsSymbolsTheConvention() throws Exception {
        CProgram program = GoProgram.compile(folder, "conventions", "main.go", "stack_amd64.s", "go.mod");
        byte[] bytes = Files.readAllBytes(program.executable());
        try (ElfFile elf = ElfFile.open(program.executable())) {
            assertThat(GoBuild.version(elf))
                    .hasValueSatisfying(version -> assertThat(version).startsWith("go1."));
            assertThat(GoCalls.of(elf, "main.main")).isEqualTo(CallingConvention.GO_REGISTERS);
            assertThat(GoCalls.of(elf, "main.onStack.abi0")).isEqualTo(CallingConvention.GO_STACK);
        }
        int start = indexOf(bytes, "\u00ff Go buildinf:");
        rejectsNothingButMalformed(bytes, start);
        System.arraycopy("\u0006go1.16".getBytes(StandardCharsets.UTF_8), 0, bytes, start + INLINE_OFFSET, 7);
        try (ElfFile elf = ElfFile.parse("older", ByteBuffer.wrap(bytes))) {
            assertThat(GoCalls.of(elf, "main.main")).isEqualTo(CallingConvention.GO_STACK);
        }
    }

    /** Whatever stands in the section: a version or none, or an error of the ELF file's own. */
    private static void rejectsNothingButMalformed(byte[] good, int start) throws Exception {
        Random random = new Random(20_26_11_21);
        for (int i = 0; i < 500; i++) {
            byte[] bytes = good.clone();
            bytes[start + FLAGS_OFFSET] = (byte) random.nextInt(4);
            for (int change = 0; change < 3; change++) {
                bytes[start + 14 + random.nextInt(INLINE_OFFSET)] = (byte) random.nextInt();
            }
            try (ElfFile elf = ElfFile.parse("mutant", ByteBuffer.wrap(bytes))) {
                GoBuild.version(elf);
            } catch (ElfFormatException e) {
                assertThat(e).hasMessageContaining("mutant");
            }
        }
    }

    @Test
    void aFileOfCUsesTheConventionOfC() throws Exception {
        CProgram program = CProgram.compile(folder, "bpf/calls");
        try (ElfFile elf = ElfFile.open(program.executable())) {
            assertThat(GoCalls.of(elf, "main")).isEqualTo(CallingConvention.C);
        }
    }

    private static int indexOf(byte[] bytes, String wanted) {
        return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(wanted);
    }
}
