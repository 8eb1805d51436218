package dev.probestream.collector.internal.debugfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.elf.ElfFormatException;
import dev.probestream.bpf.elf.ElfSymbol;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Against debug files that binutils made; the unstripped file is what must come out. */
class DebugFilesTest {
    private static final long SEED = 20_261_122;

    @TempDir
    private Path folder;

    private Path whole;
    private Path stripped;
    private final List<String> problems = new ArrayList<>();

    @BeforeEach
    void compile() throws Exception {
        ElfFixture.needs("objcopy", "strip", "xz");
        compile("-Wl,--build-id=sha1");
    }

    private void compile(String buildId) throws Exception {
        whole = ElfFixture.compile(folder, "functions.c", "whole", "-pie", "-fPIE", buildId);
        stripped = folder.resolve("program");
        ElfFixture.run("strip", "-o", stripped.toString(), whole.toString());
    }

    @Test
    void withoutADebugFileOnlyExportedFunctionsHaveNames() throws Exception {
        try (ElfFile elf = open()) {
            assertThat(elf.function("hidden")).isEmpty();
            assertThat(elf.isStripped()).isTrue();
        }
        assertThat(problems).isEmpty();
    }

    @Test
    void theLinkedFileBesideTheStrippedOneHasItsSymbols() throws Exception {
        link(folder.resolve("program.debug"));

        assertSymbolsAreBack();
    }

    @Test
    void theLinkedFileMayBeInAFolderOfItsOwn() throws Exception {
        link(Files.createDirectory(folder.resolve(".debug")).resolve("program.debug"));

        assertSymbolsAreBack();
    }

    @Test
    void withoutBuildIdsTheChecksumDecides() throws Exception {
        compile("-Wl,--build-id=none");
        Path debug = link(folder.resolve("program.debug"));

        assertSymbolsAreBack();

        Files.write(debug, new byte[] {0}, StandardOpenOption.APPEND);
        assertNotUsed("its checksum is not that in .gnu_debuglink");
    }

    @Test
    void theDebugFileOfAnotherBuildIsRefused() throws Exception {
        Path debug = link(folder.resolve("program.debug"));
        Path other = ElfFixture.compile(folder, "functions.c", "other", "-O0", "-Wl,--build-id=sha1");
        ElfFixture.run("objcopy", "--only-keep-debug", other.toString(), debug.toString());

        assertNotUsed("its build id is ");
    }

    @Test
    void aDamagedDebugFileIsSaidAndPassedOver() throws Exception {
        Path debug = link(folder.resolve("program.debug"));
        byte[] half = Files.readAllBytes(debug);
        Files.write(debug, java.util.Arrays.copyOf(half, half.length / 2));

        assertNotUsed("reaches past the end of the file");
    }

    @Test
    void compressedSymbolsInTheFileItselfAreRead() throws Exception {
        embed(xz(debugSymbols()));

        assertSymbolsAreBack();
    }

    @Test
    void compressedSymbolsThatAreNotXzAreSaid() throws Exception {
        embed(new byte[1000]);

        assertNotUsed(".gnu_debugdata cannot be decompressed");
    }

    @Test
    void aBombIsRefusedBeforeItTakesMemory() throws Exception {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (XZOutputStream out = new XZOutputStream(bomb, new LZMA2Options(1))) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i <= CompressedSymbols.MAX_BYTES >> 20; i++) {
                out.write(zeros);
            }
        }
        embed(bomb.toByteArray());

        assertNotUsed(".gnu_debugdata has more than ");
    }

    @Test
    void mutatedCompressedSymbolsAreReadOrRefused() throws Exception {
        byte[] good = xz(debugSymbols());
        embed(good);
        byte[] file = Files.readAllBytes(stripped);
        int start = indexOf(file, good);
        Random random = new Random(SEED);
        int refused = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] mutant = file.clone();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                int at = start + (random.nextBoolean() ? random.nextInt(40) : random.nextInt(good.length));
                mutant[at] = (byte) random.nextInt();
            }
            try (ElfFile elf = ElfFile.parse("mutant", ByteBuffer.wrap(mutant))) {
                CompressedSymbols.read(elf).orElseThrow().functionCount();
            } catch (ElfFormatException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(2000);
    }

    @Test
    void mutatedLinksAreReadOrRefused() throws Exception {
        link(folder.resolve("program.debug"));
        byte[] file = Files.readAllBytes(stripped);
        int start = indexOf(file, "program.debug\0".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        Random random = new Random(SEED);
        for (int i = 0; i < 3000; i++) {
            byte[] mutant = file.clone();
            mutant[start + random.nextInt(20)] = random.nextBoolean() ? (byte) random.nextInt() : (byte) '/';
            try (ElfFile elf = ElfFile.parse("mutant", ByteBuffer.wrap(mutant))) {
                assertThat(elf.debugLink().orElseThrow().fileName()).doesNotContain("/");
            } catch (ElfFormatException e) {
                assertThat(e).hasMessageContaining(".gnu_debuglink");
            }
        }
    }

    private void assertSymbolsAreBack() throws IOException {
        try (ElfFile elf = open();
                ElfFile unstripped = ElfFile.open(whole)) {
            ElfSymbol expected = unstripped.function("hidden").orElseThrow();
            assertThat(elf.function("hidden")).contains(expected);
            assertThat(elf.fileOffset(expected)).isEqualTo(unstripped.fileOffset(expected));
            assertThat(elf.functionCovering(elf.fileOffset(expected) + 1)).contains(expected);
            assertThat(elf.functions("hid*")).containsExactly(expected);
            assertThat(elf.nearestNames("hiden", 1)).containsExactly("hidden");
            assertThat(elf.allFunctions()).containsExactlyInAnyOrderElementsOf(unstripped.allFunctions());
            assertThat(elf.functionCount()).isEqualTo(unstripped.functionCount());
            assertThat(elf.symbolAddress("data_object")).isEqualTo(unstripped.symbolAddress("data_object"));
            assertThat(elf.isStripped()).isFalse();
        }
        assertThat(problems).isEmpty();
    }

    private void assertNotUsed(String why) throws IOException {
        try (ElfFile elf = open()) {
            assertThat(elf.function("hidden")).isEmpty();
            assertThat(elf.functionCovering(0x1000)).isEmpty();
            assertThat(elf.isStripped()).isTrue();
        }
        assertThat(problems).singleElement().asString().contains(stripped.toString(), why);
    }

    private ElfFile open() throws IOException {
        return ElfFile.open(stripped, DebugFiles.of(stripped.toRealPath().toString(), stripped, problems::add));
    }

    private Path link(Path debug) throws Exception {
        ElfFixture.run("objcopy", "--only-keep-debug", whole.toString(), debug.toString());
        ElfFixture.run("objcopy", "--add-gnu-debuglink=" + debug, stripped.toString());
        return debug;
    }

    private byte[] debugSymbols() throws Exception {
        Path debug = folder.resolve("mini");
        ElfFixture.run("objcopy", "--only-keep-debug", whole.toString(), debug.toString());
        return Files.readAllBytes(debug);
    }

    private byte[] xz(byte[] bytes) throws Exception {
        Path file = Files.write(folder.resolve("data"), bytes);
        ElfFixture.run("xz", "-f", file.toString());
        return Files.readAllBytes(folder.resolve("data.xz"));
    }

    private void embed(byte[] section) throws Exception {
        Path file = Files.write(folder.resolve("section"), section);
        ElfFixture.run("objcopy", "--add-section", ".gnu_debugdata=" + file, stripped.toString());
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        for (int at = 0; at + part.length <= bytes.length; at++) {
            if (java.util.Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return at;
            }
        }
        throw new AssertionError("not there");
    }
}
