package dev.probestream.collector.internal.stack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.collector.internal.event.Warnings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelNamesTest {
    private static final String TEXT = """
            0000000000000000 A fixed_percpu_data
            ffffffff81000000 T _stext
            ffffffff81000000 T _text
            ffffffff81000100 t do_one
            ffffffff81000180 D some_data
            ffffffffc0000010 t in_module\t[ext4]
            ffffffff81000200 W do_two
            """;

    @TempDir
    Path folder;

    private final Warnings warnings = new Warnings();

    private KernelNames names(String text) throws Exception {
        return new KernelNames(Files.writeString(folder.resolve("kallsyms"), text, US_ASCII), warnings);
    }

    @Test
    void functionReachesToTheNext() throws Exception {
        KernelNames names = names(TEXT);

        assertThat(names.nameOf(0xffffffff81000100L)).isEqualTo("do_one");
        assertThat(names.nameOf(0xffffffff810001ffL)).isEqualTo("do_one");
        assertThat(names.nameOf(0xffffffff81000200L)).isEqualTo("do_two");
        assertThat(names.nameOf(0xffffffffc0000020L)).isEqualTo("in_module");
        assertThat(names.nameOf(0xffffffff81000000L)).isEqualTo("_stext");
        assertThat(warnings.take()).isEmpty();
    }

    @Test
    void addressOutsideTheKernelHasNoName() throws Exception {
        KernelNames names = names(TEXT);

        assertThat(names.nameOf(0xffffffff80ffffffL)).isEmpty();
        assertThat(names.nameOf(0x400000)).isEmpty();
        assertThat(names.nameOf(-1)).isEmpty();
        assertThat(names.nameOf(0xffffffffb0000000L)).isEmpty();
    }

    @Test
    void hiddenAddressesAreSaidOnce() throws Exception {
        KernelNames names = names("0000000000000000 T _stext\n0000000000000000 t do_one\n");

        assertThat(names.nameOf(0xffffffff81000100L)).isEmpty();
        assertThat(names.nameOf(0xffffffff81000200L)).isEmpty();
        assertThat(warnings.take())
                .singleElement()
                .asString()
                .startsWith("kernel stack frames have no names: ")
                .endsWith("shows no addresses (needs CAP_SYSLOG, or sysctl kernel.kptr_restrict=0)");
        assertThat(warnings.take()).isEmpty();
    }

    @Test
    void missingFileIsSaidOnce() {
        KernelNames names = new KernelNames(folder.resolve("none"), warnings);

        assertThat(names.nameOf(0xffffffff81000100L)).isEmpty();
        assertThat(warnings.take()).hasSize(1);
    }

    @Test
    void tornTextIsReadAsFarAsItGoes() throws Exception {
        for (int length = 0; length < TEXT.length(); length++) {
            assertThat(KernelSymbols.parse(TEXT.substring(0, length).getBytes(US_ASCII))
                            .count())
                    .isLessThanOrEqualTo(5);
        }
    }

    @Test
    void symbolsOfTheRunningKernelAreFoundWhereItSaysTheyAre() throws Exception {
        Path kallsyms = Path.of("/proc/kallsyms");
        List<String[]> functions = Files.readAllLines(kallsyms, US_ASCII).stream()
                .map(line -> line.split("[ \t]"))
                .filter(fields -> fields[2].startsWith("vfs_") && fields[1].equals("T"))
                .toList();
        assumeTrue(
                functions.stream().anyMatch(fields -> !fields[0].matches("0+")), "needs CAP_SYSLOG to see addresses");
        KernelNames names = new KernelNames(kallsyms, warnings);
        for (String[] fields : functions) {
            assertThat(names.nameOf(Long.parseUnsignedLong(fields[0], 16) + 1)).isEqualTo(fields[2]);
        }
        assertThat(functions).hasSizeGreaterThan(10);
    }
}
