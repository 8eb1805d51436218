package dev.probestream.bpf.usdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files with probes that this machine has, beside what binutils say of them. */
class LocalLibrariesTest {
    private static final Pattern NOTE = Pattern.compile("Provider: (.*)\\n\\s+Name: (.*)\\n"
            + "\\s+Location: 0x(\\w+), Base: 0x(\\w+), Semaphore: 0x(\\w+)\\n\\s+Arguments: ?(.*)");

    @Test
    void javaRuntimesSayWhatReadelfSays() throws Exception {
        List<Path> libraries = new ArrayList<>();
        try (Stream<Path> homes = Files.list(Path.of("/usr/lib/jvm"))) {
            homes.map(home -> home.resolve("lib/server/libjvm.so"))
                    .filter(Files::exists)
                    .forEach(libraries::add);
        }
        assumeTrue(!libraries.isEmpty(), "no libjvm.so");
        for (Path library : libraries) {
            assertLikeReadelf(library);
        }
    }

    @Test
    void standardLibrariesSayWhatReadelfSays() throws Exception {
        for (String file : List.of(
                "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                "/lib/x86_64-linux-gnu/libc.so.6",
                "/lib64/ld-linux-x86-64.so.2",
                "/usr/lib/postgresql/15/bin/postgres")) {
            if (Files.exists(Path.of(file))) {
                assertLikeReadelf(Path.of(file));
            }
        }
    }

    @Test
    void everyArgumentOfTheJavaRuntimeCanBeRead() throws Exception {
        Path library = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
        assumeTrue(Files.exists(library), "no " + library);
        try (ElfFile elf = ElfFile.open(library)) {
            assertThat(UsdtNotes.read(elf))
                    .flatExtracting(UsdtNote::arguments)
                    .noneMatch(argument -> argument.operand().kind() == UsdtOperand.Kind.UNREADABLE);
        }
    }

    private static void assertLikeReadelf(Path file) throws IOException, InterruptedException {
        List<String> expected = new ArrayList<>();
        Matcher note = NOTE.matcher(ElfFixture.run("readelf", "-n", "-W", file.toString()));
        while (note.find()) {
            expected.add(line(
                    note.group(1),
                    note.group(2),
                    Long.parseUnsignedLong(note.group(3), 16),
                    Long.parseUnsignedLong(note.group(4), 16),
                    Long.parseUnsignedLong(note.group(5), 16),
                    note.group(6).strip()));
        }
        List<String> actual = new ArrayList<>();
        try (ElfFile elf = ElfFile.open(file)) {
            for (UsdtNote read : UsdtNotes.read(elf)) {
                actual.add(line(
                        read.provider(),
                        read.name(),
                        read.virtualAddress(),
                        read.baseVirtualAddress(),
                        read.semaphoreVirtualAddress(),
                        read.argumentText()));
            }
        }
        assertThat(actual).as(file.toString()).isEqualTo(expected);
    }

    private static String line(String provider, String name, long pc, long base, long semaphore, String arguments) {
        return "%s:%s 0x%x 0x%x 0x%x %s".formatted(provider, name, pc, base, semaphore, arguments);
    }
}
