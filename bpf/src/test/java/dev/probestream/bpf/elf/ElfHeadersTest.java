package dev.probestream.bpf.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Headers written by hand, as no compiler on this machine writes them. */
class ElfHeadersTest {
    private static final int HEADER_BYTES = 64;
    private static final int SECTION_BYTES = 64;

    /** An aarch64 executable with one code segment and no sections. */
    private static ByteBuffer aarch64() {
        ByteBuffer elf = ByteBuffer.allocate(HEADER_BYTES + 56 + 16).order(ByteOrder.LITTLE_ENDIAN);
        elf.putInt(0, 0x464c457f).put(4, (byte) 2).put(5, (byte) 1).put(6, (byte) 1);
        elf.putShort(16, (short) 2).putShort(18, (short) 183).putInt(20, 1);
        elf.putLong(32, HEADER_BYTES).putShort(52, (short) HEADER_BYTES);
        elf.putShort(54, (short) 56).putShort(56, (short) 1).putShort(58, (short) SECTION_BYTES);
        elf.putInt(64, 1).putInt(68, 5).putLong(72, 120).putLong(80, 0x400000 + 120);
        return elf.putLong(96, 16).putLong(104, 16).putLong(112, 0x1000);
    }

    private static ElfFile parse(ByteBuffer bytes) throws IOException {
        return ElfFile.parse("hand-made", bytes);
    }

    @Test
    void aarch64FileIsReadLikeAnyOther() throws Exception {
        try (ElfFile elf = parse(aarch64())) {
            assertThat(elf.machine()).isEqualTo(ElfMachine.AARCH64);
            assertThat(elf.isStripped()).isTrue();
            assertThat(elf.fileOffsetOfVirtualAddress(0x400000 + 121).orElseThrow())
                    .isEqualTo(121);
            assertThat(elf.functionCount()).isZero();
        }
    }

    @Test
    void otherProcessorsAreOther() throws Exception {
        try (ElfFile elf = parse(aarch64().putShort(18, (short) 243))) { // EM_RISCV
            assertThat(elf.machine()).isEqualTo(ElfMachine.OTHER);
        }
    }

    @Test
    void machineOfTheHostFollowsItsName() {
        assertThat(ElfMachine.ofArchitecture("amd64")).isEqualTo(ElfMachine.X86_64);
        assertThat(ElfMachine.ofArchitecture("aarch64")).isEqualTo(ElfMachine.AARCH64);
        assertThat(ElfMachine.ofArchitecture("riscv64")).isEqualTo(ElfMachine.OTHER);
    }

    @Test
    void bits32AndBigEndianAndObjectFilesAreRefused() {
        assertThatThrownBy(() -> parse(aarch64().put(4, (byte) 1)))
                .isInstanceOf(ElfFormatException.class)
                .hasMessage("read ELF file hand-made at byte 4: is a 32-bit ELF file; only 64-bit ones can be probed");
        assertThatThrownBy(() -> parse(aarch64().put(5, (byte) 2)))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("at byte 5: is a big-endian ELF file");
        assertThatThrownBy(() -> parse(aarch64().putShort(16, (short) 1)))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("at byte 16: type 1 is neither an executable (2) nor a shared object (3)");
    }

    @Test
    void segmentsBehindTheEndAreRefused() {
        assertThatThrownBy(() -> parse(aarch64().putLong(32, 1000)))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("at byte 1000: the program header table of 56 bytes reaches past the end");
        assertThatThrownBy(() -> parse(aarch64().putLong(32, -8))).isInstanceOf(ElfFormatException.class);
        assertThatThrownBy(() -> parse(aarch64().putShort(54, (short) 40)))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("at byte 54: a program header has 40 bytes instead of 56");
    }

    @Test
    void countsThatDoNotFitTheHeaderStandInTheFirstSection() throws Exception {
        ByteBuffer big = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        big.put(0, aarch64().array());
        big.putLong(40, 256)
                .putShort(60, (short) 0)
                .putShort(62, (short) 0xffff)
                .putShort(56, (short) 0xffff);
        // Section 0 holds: how many sections, which has the names, how many segments.
        big.putLong(256 + 32, 2).putInt(256 + 40, 1).putInt(256 + 44, 1);
        // Section 1 holds the names; its own starts behind the zero.
        big.putInt(320, 1).putInt(324, 3).putLong(320 + 24, 512).putLong(320 + 32, 8);
        big.put(513, new byte[] {'n', 'a', 'm', 'e', 's'});

        try (ElfFile elf = parse(big)) {
            assertThat(elf.hasSection("names")).isTrue();
            assertThat(elf.fileOffsetOfVirtualAddress(0x400000 + 120)).isPresent();
        }
    }

    @Test
    void absurdNumberOfSectionsIsRefusedBeforeMemoryIsTaken() {
        ByteBuffer big = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        big.put(0, aarch64().array());
        big.putLong(40, 256).putShort(60, (short) 0).putLong(256 + 32, 1L << 40);

        assertThatThrownBy(() -> parse(big))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("claims 1099511627776 section headers");
    }
}
