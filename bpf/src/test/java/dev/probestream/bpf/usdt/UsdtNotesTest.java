package dev.probestream.bpf.usdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UsdtNotesTest {
    private static final int NOTE_HEADER_BYTES = 20;

    @Test
    void noteHasItsTextsAndPlaces() throws Exception {
        byte[] note = StapsdtFile.description(
                StapsdtFile.CODE + 0x10,
                StapsdtFile.BASE,
                StapsdtFile.DATA + 0x20,
                "node\0http__server__request\0008@%rdi -4@%esi\0");

        assertThat(read(StapsdtFile.with(note)))
                .containsExactly(new UsdtNote(
                        "node",
                        "http__server__request",
                        StapsdtFile.CODE + 0x10,
                        0x10,
                        StapsdtFile.BASE,
                        StapsdtFile.DATA + 0x20,
                        0x1020,
                        "8@%rdi -4@%esi",
                        List.of(
                                new UsdtArgument("8@%rdi", 8, false, false, UsdtOperand.register("rdi", 0)),
                                new UsdtArgument("-4@%esi", 4, true, false, UsdtOperand.register("rsi", 0)))));
    }

    @Test
    void addressesMoveWithTheBaseSection() throws Exception {
        long moved = 0x300000;
        byte[] note = StapsdtFile.description(
                StapsdtFile.CODE + 0x10 - moved, StapsdtFile.BASE - moved, StapsdtFile.DATA + 0x20 - moved, "p\0n\0\0");

        UsdtNote read = read(StapsdtFile.with(note)).get(0);

        assertThat(read.virtualAddress()).isEqualTo(StapsdtFile.CODE + 0x10);
        assertThat(read.fileOffset()).isEqualTo(0x10);
        assertThat(read.baseVirtualAddress()).isEqualTo(StapsdtFile.BASE - moved);
        assertThat(read.semaphoreVirtualAddress()).isEqualTo(StapsdtFile.DATA + 0x20);
        assertThat(read.semaphoreFileOffset()).isEqualTo(0x1020);
    }

    @Test
    void noteWithoutBaseOrSemaphoreIsTakenAsWritten() throws Exception {
        UsdtNote read = read(StapsdtFile.with(StapsdtFile.description(StapsdtFile.CODE, 0, 0, "p\0n\0:\0")))
                .get(0);

        assertThat(read.virtualAddress()).isEqualTo(StapsdtFile.CODE);
        assertThat(read.semaphoreVirtualAddress()).isZero();
        assertThat(read.semaphoreFileOffset()).isZero();
        assertThat(read.arguments()).isEmpty();
    }

    @Test
    void oneNameMayStandForManySites() throws Exception {
        assertThat(read(StapsdtFile.with(good(0x10), good(0x20), good(0x30))))
                .extracting(UsdtNote::qualifiedName, UsdtNote::fileOffset)
                .containsExactly(tuple(0x10), tuple(0x20), tuple(0x30));
    }

    @Test
    void argumentThatIsNotUnderstoodLeavesTheOthers() throws Exception {
        byte[] note = StapsdtFile.description(StapsdtFile.CODE, 0, 0, "p\0n\0008@%rdi 8@?? -4@$7\0");

        assertThat(read(StapsdtFile.with(note)).get(0).arguments())
                .extracting(argument -> argument.operand().kind())
                .containsExactly(UsdtOperand.Kind.REGISTER, UsdtOperand.Kind.UNREADABLE, UsdtOperand.Kind.CONSTANT);
    }

    @Test
    void noteOfCodeThatTheLinkerRemovedIsNoProbe() throws Exception {
        byte[] removed = StapsdtFile.description(0, StapsdtFile.BASE, 0, "p\0gone\0\0");

        assertThat(read(StapsdtFile.with(removed, good(0x10))))
                .extracting(UsdtNote::name)
                .containsExactly("n");
    }

    @Test
    void noteShorterThanItsAddressesIsRefused() {
        byte[] cut = new byte[23];
        cut[0] = 1;
        assertRefused(cut, 0, "has 23 bytes");
    }

    @Test
    void textWithoutItsZeroIsRefused() {
        assertRefused(StapsdtFile.description(StapsdtFile.CODE, 0, 0, "prov"), 24, "the provider");
        assertRefused(StapsdtFile.description(StapsdtFile.CODE, 0, 0, "p\0name"), 26, "the name");
        assertRefused(StapsdtFile.description(StapsdtFile.CODE, 0, 0, "p\0n\0008@%rdi"), 28, "the arguments");
        assertRefused(StapsdtFile.description(StapsdtFile.CODE, 0, 0, ""), 24, "the provider");
    }

    @Test
    void addressOutsideOfWhatIsLoadedIsRefused() {
        assertRefused(StapsdtFile.description(0x10, 0, 0, "p\0n\0\0"), 0, "p:n at virtual address 0x10");
        assertRefused(
                StapsdtFile.description(StapsdtFile.CODE, 0, 0x10, "p\0n\0\0"), 16, "the semaphore of USDT probe p:n");
    }

    @Test
    void noteThatReachesPastItsSectionIsRefused() {
        byte[] file = StapsdtFile.with(good(0x10));
        file[StapsdtFile.NOTES_AT + 5] = 1;
        assertThatExceptionOfType(ElfFormatException.class)
                .isThrownBy(() -> read(file))
                .satisfies(e -> assertThat(e.offsetInFile()).isEqualTo(StapsdtFile.NOTES_AT));
    }

    @Test
    void mutatedNotesAreReadOrRefused() throws Exception {
        long seed = 20_261_122;
        Random random = new Random(seed);
        byte[] good = StapsdtFile.with(
                good(0x10),
                StapsdtFile.description(
                        StapsdtFile.CODE + 8,
                        StapsdtFile.BASE,
                        StapsdtFile.DATA,
                        "p\0n\0-8@8(%rsp,%rax,4) 4@sym+4(%rip) -8f@%xmm0 8@$-1\0"));
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] mutant = good.clone();
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                mutant[StapsdtFile.NOTES_AT + random.nextInt(mutant.length - StapsdtFile.NOTES_AT)] =
                        (byte) (random.nextBoolean() ? random.nextInt() : 0x20 + random.nextInt(0x60));
            }
            try {
                read(mutant);
            } catch (ElfFormatException e) {
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("mutant " + i + " of seed " + seed, e);
            }
        }
        assertThat(refused).as("mutants refused").isBetween(5_000, 45_000);
    }

    private static org.assertj.core.groups.Tuple tuple(long fileOffset) {
        return org.assertj.core.groups.Tuple.tuple("p:n", fileOffset);
    }

    private static byte[] good(long offset) {
        return StapsdtFile.description(StapsdtFile.CODE + offset, StapsdtFile.BASE, 0, "p\0n\0008@%rdi\0");
    }

    private static List<UsdtNote> read(byte[] file) throws IOException {
        try (ElfFile elf = ElfFile.parse("made", ByteBuffer.wrap(file))) {
            return UsdtNotes.read(elf);
        }
    }

    private static void assertRefused(byte[] description, int positionInNote, String problem) {
        assertThatExceptionOfType(ElfFormatException.class)
                .isThrownBy(() -> read(StapsdtFile.with(good(0x10), description)))
                .withMessageContaining(problem)
                .satisfies(e -> {
                    assertThat(e.file()).isEqualTo("made");
                    int first = NOTE_HEADER_BYTES + ((good(0x10).length + 3) & -4);
                    assertThat(e.offsetInFile())
                            .isEqualTo(StapsdtFile.NOTES_AT + first + NOTE_HEADER_BYTES + positionInNote);
                });
    }
}
