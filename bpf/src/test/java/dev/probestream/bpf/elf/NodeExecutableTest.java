package dev.probestream.bpf.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The real thing: the Node.js of this machine, 100 MB and 110,000 symbols. */
class NodeExecutableTest {
    private static final List<String> PLAIN_NAMES = List.of(
            "uv_run uv__run_timers uv__io_poll uv__fs_work uv__fs_done uv_fs_open uv_fs_read uv_fs_write uv_fs_close"
                    .split(" "));

    private final Optional<Path> node = Arrays.stream(System.getenv("PATH").split(":"))
            .map(folder -> Path.of(folder, "node"))
            .filter(Files::isExecutable)
            .findFirst();

    @BeforeEach
    void needsNode() throws Exception {
        assumeTrue(node.isPresent() || "true".equals(System.getenv("CI")), "needs node on the PATH");
        try (ElfFile elf = ElfFile.open(node.orElseThrow().toRealPath())) {
            assumeTrue(elf.function("uv_run").isPresent(), "this node has its libuv in a library");
        }
    }

    private ElfFile open() throws Exception {
        return ElfFile.open(node.orElseThrow().toRealPath());
    }

    @Test
    void probedFunctionsAreWhereNmSeesThem() throws Exception {
        Map<String, Long> addresses = ElfFixture.run("nm", node.orElseThrow().toString())
                .lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length == 3)
                .collect(Collectors.toMap(
                        fields -> fields[2], fields -> Long.parseLong(fields[0], 16), (one, other) -> one));
        try (ElfFile elf = open()) {
            for (String name : PLAIN_NAMES) {
                assertThat(elf.function(name)).as(name).isPresent();
                assertThat(elf.function(name).orElseThrow().virtualAddress()).isEqualTo(addresses.get(name));
            }
            assertThat(elf.cxxFunctions("v8::internal::Heap::CollectGarbage"))
                    .singleElement()
                    .satisfies(symbol -> assertThat(symbol.virtualAddress()).isEqualTo(addresses.get(symbol.name())));
        }
    }

    @Test
    void sixtyNamesAreFoundInTheTimeOfAWink() throws Exception {
        long startCpuNs = cpuNs();
        long start = System.nanoTime();
        int found = 0;
        try (ElfFile elf = open()) {
            List<String> names = elf.functions("uv_*").stream()
                    .map(ElfSymbol::name)
                    .filter(name -> !name.endsWith("_t"))
                    .limit(60)
                    .toList();
            long listed = System.nanoTime();
            for (String name : names) {
                found += elf.function(name).isPresent() ? 1 : 0;
            }
            long end = System.nanoTime();
            System.out.printf(
                    "%s: open, read symbols and match a glob %d ms, then find %d names %d ms%n",
                    node.orElseThrow(), (listed - start) / 1_000_000, found, (end - listed) / 1_000_000);
        }
        assertThat(found).isEqualTo(60);
        // CPU time, because other programs may keep the machine busy; ten times what it takes.
        assertThat(cpuNs() - startCpuNs).isLessThan(5_000_000_000L);
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @Test
    void qualifiedNamesAgreeWithCxxfilt() throws Exception {
        try (ElfFile elf = open()) {
            List<String> mangled = Stream.of("v8::internal::*", "v8::internal::*::*", "node::*::*", "v8::*::*")
                    .flatMap(glob -> sample(elf, glob))
                    .toList();
            Process filter = new ProcessBuilder("c++filt").start();
            Thread writer = new Thread(() -> {
                try (var names = filter.outputWriter(StandardCharsets.UTF_8)) {
                    for (String name : mangled) {
                        names.write(name + "\n");
                    }
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            writer.start();
            List<String> demangled =
                    filter.inputReader(StandardCharsets.UTF_8).lines().toList();
            writer.join();
            assertThat(demangled).hasSameSizeAs(mangled).hasSizeGreaterThan(1000);
            for (int i = 0; i < mangled.size(); i++) {
                String ours = new ElfSymbol(mangled.get(i), 0, 1, false, false).qualifiedName();
                // A few names are beyond c++filt, which gives them back as they are.
                if (!demangled.get(i).equals(mangled.get(i))) {
                    assertThat(withoutTemplateArguments(demangled.get(i))).contains(ours);
                }
            }
        }
    }

    private static Stream<String> sample(ElfFile elf, String glob) {
        try {
            return elf.cxxFunctions(glob).stream().map(ElfSymbol::name).limit(3000);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String withoutTemplateArguments(String demangled) {
        StringBuilder kept = new StringBuilder();
        int depth = 0;
        for (char c : demangled.replace("[abi:cxx11]", "").toCharArray()) {
            depth += c == '<' ? 1 : 0;
            if (depth == 0) {
                kept.append(c);
            }
            depth -= c == '>' ? 1 : 0;
        }
        return kept.toString();
    }

    @Test
    void everyBuiltinOfV8CoversItsCode() throws Exception {
        try (ElfFile elf = open()) {
            List<ElfSymbol> builtins = elf.functions("Builtins_*");
            assertThat(builtins).hasSizeGreaterThan(100);
            for (ElfSymbol builtin : builtins) {
                assertThat(elf.functionCovering(elf.fileOffset(builtin) + builtin.sizeBytes() - 1))
                        .map(ElfSymbol::virtualAddress)
                        .hasValue(builtin.virtualAddress());
            }
        }
    }
}
