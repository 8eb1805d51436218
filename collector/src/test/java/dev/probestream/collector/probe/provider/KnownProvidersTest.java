package dev.probestream.collector.probe.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.bpf.usdt.UsdtNotes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KnownProvidersTest {
    private static final Pattern LENGTH = Pattern.compile("str\\[arg(\\d+)\\]");

    private final KnownProviders known = KnownProviders.load();

    @Test
    void theProbesOfNodeNameTheirArguments() {
        assertThat(known.arguments("node", "http__server__request").orElseThrow())
                .containsExactly(
                        new KnownArgument("request", "ptr"),
                        new KnownArgument("connection", "ptr"),
                        new KnownArgument("remote", "str"),
                        new KnownArgument("port", ""),
                        new KnownArgument("method", "str"),
                        new KnownArgument("url", "str"),
                        new KnownArgument("fd", ""));
    }

    @Test
    void textOfJavaHasTheLengthBehindIt() {
        for (String probe : known.probes("hotspot")) {
            List<KnownArgument> arguments = known.arguments("hotspot", probe).orElseThrow();
            for (int i = 0; i < arguments.size(); i++) {
                Matcher length = LENGTH.matcher(arguments.get(i).type());
                assertThat(arguments.get(i).type()).isNotEqualTo("str");
                if (length.matches()) {
                    assertThat(Integer.parseInt(length.group(1))).as(probe).isEqualTo(i + 2);
                    assertThat(arguments.get(i + 1).name())
                            .isEqualTo(arguments.get(i).name() + "_length");
                }
            }
        }
    }

    @Test
    void whatIsNotKnownIsEmpty() {
        assertThat(known.arguments("node", "no__such__probe")).isEmpty();
        assertThat(known.arguments("no_such_provider", "gc__start")).isEmpty();
        assertThat(known.probes("no_such_provider")).isEmpty();
    }

    @Test
    void noMoreArgumentsAreKnownThanTheFilesOfThisMachineHave() throws Exception {
        List<Path> files = Stream.of(
                        Path.of(System.getProperty("java.home"), "lib/server/libjvm.so"),
                        Path.of("/usr/lib/jvm/temurin-25-jdk-amd64/lib/server/libjvm.so"),
                        Path.of("/usr/lib/postgresql/15/bin/postgres"),
                        Path.of("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"),
                        Path.of("/lib/x86_64-linux-gnu/libc.so.6"),
                        Path.of("/lib64/ld-linux-x86-64.so.2"))
                .filter(Files::exists)
                .toList();
        assumeTrue(!files.isEmpty(), "no file with probes");
        int compared = 0;
        for (Path file : files) {
            compared += compare(file);
        }
        assertThat(compared).as("probes compared").isPositive();
    }

    private int compare(Path file) throws IOException {
        int compared = 0;
        try (ElfFile elf = ElfFile.open(file)) {
            for (UsdtNote note : UsdtNotes.read(elf)) {
                List<KnownArgument> arguments =
                        known.arguments(note.provider(), note.name()).orElse(List.of());
                assertThat(arguments)
                        .as(note.qualifiedName() + " in " + file)
                        .hasSizeLessThanOrEqualTo(note.arguments().size());
                compared += arguments.isEmpty() ? 0 : 1;
            }
        }
        return compared;
    }
}
