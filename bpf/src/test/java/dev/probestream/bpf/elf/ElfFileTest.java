package dev.probestream.bpf.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElfFileTest {
    private static final byte[] ENDBR64 = {(byte) 0xf3, 0x0f, 0x1e, (byte) 0xfa};

    @TempDir
    static Path folder;

    private static Path pie;
    private static Path fixed;
    private static Path stripped;
    private static Path library;

    @BeforeAll
    static void compile() throws Exception {
        pie = ElfFixture.compile(folder, "functions.c", "pie", "-pie", "-fPIE", "-fcf-protection=branch");
        fixed = ElfFixture.compile(folder, "functions.c", "fixed", "-no-pie", "-fno-pie", "-fcf-protection=none");
        stripped = ElfFixture.compile(folder, "functions.c", "stripped", "-s", "-rdynamic");
        library =
                ElfFixture.compile(folder, "functions.c", "library.so", "-shared", "-fPIC", "-Wl,--build-id=0xc0ffee");
    }

    private static Map<String, Long> addressesByNm(Path file, String... flags) throws Exception {
        String[] command = new String[flags.length + 2];
        command[0] = "nm";
        System.arraycopy(flags, 0, command, 1, flags.length);
        command[flags.length + 1] = file.toString();
        return ElfFixture.run(command)
                .lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length == 3)
                .collect(Collectors.toMap(
                        fields -> fields[2], fields -> Long.parseLong(fields[0], 16), (one, other) -> one));
    }

    private static long addressByNm(Path file, String name) throws Exception {
        return Objects.requireNonNull(addressesByNm(file).get(name), name);
    }

    @Test
    void functionsAreWhereNmSeesThem() throws Exception {
        for (Path file : List.of(pie, fixed, library)) {
            Map<String, Long> addresses = addressesByNm(file);
            try (ElfFile elf = ElfFile.open(file)) {
                for (String name :
                        List.of("visible", "hidden", "same", "weakly", "work", "work.cold", "main", "choose")) {
                    assertThat(elf.function(name))
                            .as(name)
                            .hasValueSatisfying(symbol ->
                                    assertThat(symbol.virtualAddress()).isEqualTo(addresses.get(name)));
                }
            }
        }
    }

    @Test
    void strippedFileHasTheFunctionsNmFindsInDynsym() throws Exception {
        Map<String, Long> addresses = addressesByNm(stripped, "-D", "--defined-only");
        try (ElfFile elf = ElfFile.open(stripped)) {
            assertThat(elf.isStripped()).isTrue();
            assertThat(elf.function("visible").orElseThrow().virtualAddress()).isEqualTo(addresses.get("visible"));
            assertThat(elf.function("hidden")).isEmpty();
            assertThat(elf.functionCount()).isBetween(5, addresses.size());
        }
    }

    @Test
    void whatIsNoFunctionIsNotFound() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            for (String name : List.of("data_object", "just_a_label", "sizeless", "printf", "getchar", "", "nope")) {
                assertThat(elf.function(name)).as(name).isEmpty();
            }
        }
    }

    @Test
    void symbolSaysHowItIsBound() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(elf.function("visible").orElseThrow().isLocal()).isFalse();
            assertThat(elf.function("weakly").orElseThrow().isLocal()).isFalse();
            assertThat(elf.function("hidden").orElseThrow().isLocal()).isTrue();
            assertThat(elf.function("chosen").orElseThrow().isIndirect()).isTrue();
            assertThat(elf.function("work").orElseThrow().isIndirect()).isFalse();
        }
    }

    @Test
    void fileOffsetLeadsToTheCodeOfTheFunction() throws Exception {
        byte[] whole = Files.readAllBytes(pie);
        try (ElfFile elf = ElfFile.open(pie)) {
            ElfSymbol function = elf.function("visible").orElseThrow();
            int offset = (int) elf.fileOffset(function);
            assertThat(elf.code(function, 4)).isEqualTo(ENDBR64);
            assertThat(Arrays.copyOfRange(whole, offset, offset + 4)).isEqualTo(ENDBR64);
        }
        try (ElfFile elf = ElfFile.open(fixed)) {
            ElfSymbol function = elf.function("visible").orElseThrow();
            assertThat(elf.code(function, 4)).isNotEqualTo(ENDBR64);
            assertThat(elf.fileOffset(function)).isNotEqualTo(function.virtualAddress());
        }
    }

    @Test
    void codeIsNotLongerThanTheFunction() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            ElfSymbol function = elf.function("visible").orElseThrow();
            assertThat(elf.code(function, 1_000_000)).hasSize((int) function.sizeBytes());
        }
    }

    @Test
    void anAddressHasAnOffsetInTheFile() throws Exception {
        try (ElfFile elf = ElfFile.open(fixed)) {
            long address = elf.function("main").orElseThrow().virtualAddress();
            assertThat(elf.fileOffsetOfVirtualAddress(address)).isPresent();
            assertThat(elf.fileOffsetOfVirtualAddress(1)).isEmpty();
        }
    }

    @Test
    void segmentsAreThoseOfReadelf() throws Exception {
        List<String> loads = ElfFixture.run("readelf", "-lW", fixed.toString())
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("LOAD"))
                .toList();
        try (ElfFile elf = ElfFile.open(fixed)) {
            for (String load : loads) {
                String[] fields = load.split("\\s+");
                assertThat(elf.fileOffsetOfVirtualAddress(Long.decode(fields[2])))
                        .isEqualTo(OptionalLong.of(Long.decode(fields[1])));
            }
            assertThat(loads).hasSizeGreaterThan(1);
        }
    }

    @Test
    void everyByteOfCodeIsInTheFunctionAddr2lineNames() throws Exception {
        try (ElfFile elf = ElfFile.open(fixed)) {
            for (String name : List.of("visible", "hidden", "work", "work.cold", "main", "sizeless")) {
                long start = addressByNm(fixed, name);
                for (long address = start; address < start + 3; address++) {
                    String[] said = ElfFixture.run("addr2line", "-f", "-e", fixed.toString(), Long.toHexString(address))
                            .split("\n");
                    long offset = elf.fileOffsetOfVirtualAddress(address).orElseThrow();
                    String ours = elf.functionCovering(offset).orElseThrow().name();
                    // Of two names for one address addr2line takes the one the linker wrote last.
                    assertThat(List.of(ours, ours.equals("visible") ? "same" : ours))
                            .contains(said[0]);
                }
            }
        }
    }

    @Test
    void sizelessSymbolReachesToTheNextOne() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            long offset =
                    elf.fileOffsetOfVirtualAddress(addressByNm(pie, "sizeless")).orElseThrow();
            assertThat(elf.functionCovering(offset + 2)).hasValueSatisfying(symbol -> {
                assertThat(symbol.name()).isEqualTo("sizeless");
                assertThat(symbol.sizeBytes()).isZero();
            });
        }
    }

    @Test
    void noFunctionCoversDataOrTheHeader() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(elf.functionCovering(0)).isEmpty();
            assertThat(elf.functionCovering(Files.size(pie) - 1)).isEmpty();
            assertThat(elf.functionCovering(-1)).isEmpty();
            assertThat(elf.functionCovering(Long.MAX_VALUE)).isEmpty();
        }
    }

    @Test
    void globLeavesOutTheCompilersCopiesUnlessItHoldsADot() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(names(elf.functions("work*"))).containsExactly("work");
            assertThat(names(elf.functions("work.*")))
                    .containsExactlyInAnyOrder("work.constprop.0", "work.part.1", "work.cold");
            assertThat(names(elf.functions("?isible"))).containsExactly("visible");
            assertThat(names(elf.functions("*id*n"))).containsExactly("hidden");
            assertThat(elf.functions("nothing*")).isEmpty();
        }
    }

    @Test
    void exactNameFindsACompilersCopyThatIsSpelled() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(elf.function("work.constprop.0")).isPresent();
        }
    }

    @Test
    void versionOfALibrarysSymbolIsNoPartOfItsName() throws Exception {
        Path libc = Path.of(ElfFixture.run("gcc", "-print-file-name=libc.so.6").strip());
        try (ElfFile elf = ElfFile.open(libc)) {
            assertThat(elf.function("fopen")).isPresent();
            assertThat(names(elf.functions("fopen*"))).noneMatch(name -> name.contains("@"));
        }
    }

    @Test
    void headersTellWhatKindOfFileItIs() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(elf.isPositionIndependent()).isTrue();
            assertThat(elf.isStripped()).isFalse();
            assertThat(elf.machine()).isEqualTo(ElfMachine.ofThisHost());
            assertThat(elf.hasSection(".text")).isTrue();
            assertThat(elf.hasSection(".go.buildinfo")).isFalse();
        }
        try (ElfFile elf = ElfFile.open(fixed)) {
            assertThat(elf.isPositionIndependent()).isFalse();
        }
    }

    @Test
    void notesAreThoseOfReadelf() throws Exception {
        String said = ElfFixture.run("readelf", "-nW", pie.toString());
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(elf.notes())
                    .isNotEmpty()
                    .allSatisfy(note -> assertThat(said).contains(note.owner()));
            assertThat(elf.notes()).hasSize((int)
                    said.lines().filter(line -> line.contains("NT_GNU")).count());
            assertThat(said).contains("Build ID: " + elf.buildId().orElseThrow());
        }
        try (ElfFile elf = ElfFile.open(library)) {
            assertThat(elf.buildId()).hasValue("c0ffee");
        }
    }

    @Test
    void notesOfAFileWithoutSectionsComeFromItsSegments() throws Exception {
        Path bare = folder.resolve("bare");
        byte[] bytes = Files.readAllBytes(library);
        Arrays.fill(bytes, 40, 48, (byte) 0); // e_shoff
        Arrays.fill(bytes, 60, 64, (byte) 0); // e_shnum, e_shstrndx
        Files.write(bare, bytes);
        try (ElfFile elf = ElfFile.open(bare)) {
            assertThat(elf.buildId()).hasValue("c0ffee");
            assertThat(elf.isStripped()).isTrue();
            assertThat(elf.function("visible")).isEmpty();
        }
    }

    @Test
    void nearestNamesForgiveTypingMistakesAndFindParts() throws Exception {
        try (ElfFile elf = ElfFile.open(pie)) {
            assertThat(elf.nearestNames("visibel", 5)).startsWith("visible");
            assertThat(elf.nearestNames("Hidden", 5)).startsWith("hidden");
            assertThat(elf.nearestNames("weak", 5)).contains("weakly");
            assertThat(elf.nearestNames("xyzzy_plugh", 5)).isEmpty();
            assertThat(elf.nearestNames("work", 2)).hasSize(2);
        }
    }

    @Test
    void fileThatIsNoneOfOursIsRefused() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "hello");
        Path script = Files.writeString(folder.resolve("script"), "#!/bin/sh\n");
        Path empty = Files.createFile(folder.resolve("empty"));

        assertThatThrownBy(() -> ElfFile.open(text))
                .isInstanceOf(ElfFormatException.class)
                .hasMessage(
                        "read ELF file " + text + " at byte 0: is not an ELF file (does not start with 7f 45 4c 46)");
        assertThatThrownBy(() -> ElfFile.open(script))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("is a script");
        assertThatThrownBy(() -> ElfFile.open(empty))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("is not an ELF file");
        assertThatThrownBy(() -> ElfFile.open(folder))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("is not a regular file");
        assertThatThrownBy(() -> ElfFile.open(Path.of("/dev/zero")))
                .isInstanceOf(ElfFormatException.class)
                .hasMessageContaining("is not a regular file");
        assertThatThrownBy(() -> ElfFile.open(folder.resolve("missing"))).isInstanceOf(IOException.class);
    }

    @Test
    void fileCutOffAnywhereIsRefused() throws Exception {
        byte[] whole = Files.readAllBytes(library);
        for (int size = 64; size < whole.length; size += 97) {
            Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, size));
            assertThatThrownBy(() -> {
                        try (ElfFile elf = ElfFile.open(cut)) {
                            elf.function("visible");
                        }
                    })
                    .isInstanceOf(ElfFormatException.class)
                    .hasMessageContaining("reaches past the end of the file");
        }
    }

    private static List<String> names(List<ElfSymbol> symbols) {
        return symbols.stream().map(ElfSymbol::name).toList();
    }
}
