package dev.probestream.collector.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.elf.ElfFormatException;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointField;
import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.internal.resolve.RunningProgram;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeCatalogTest {
    private static final int NO_SUCH_PID = 4_194_304;

    @TempDir
    static Path folder;

    private static Path program;

    @BeforeAll
    static void compile() throws Exception {
        ElfFixture.needs("gcc");
        program = CProgram.compile(folder, "catalog/probes", "-pie", "-fPIE").executable();
    }

    @Test
    void fileHasItsProbesBeforeItsFunctions() throws Exception {
        FoundProbes found = FoundProbes.of(ProbeCatalog.ofFile(program), Selection.all(true));

        assertThat(found.spellings)
                .startsWith("usdt:" + program + ":fixture:request", "usdt:" + program + ":fixture:response")
                .contains("uprobe:" + program + ":handle", "uprobe:" + program + ":main");
        assertThat(found.functionCount).isEqualTo(found.spellings.size() - 2);
        assertThat(found.files).containsExactly(new CatalogFile(program.toString(), program, false));
        assertThat(found.warnings).isEmpty();
    }

    @Test
    void oneNameHasAllItsSites() throws Exception {
        FoundProbes found = FoundProbes.of(ProbeCatalog.ofFile(program), Selection.matching("response"));

        assertThat(found.usdtProbes).singleElement().satisfies(probe -> {
            assertThat(probe.sites()).hasSize(2);
            assertThat(probe.sites())
                    .extracting(UsdtNote::semaphoreVirtualAddress)
                    .containsOnly(0L);
        });
    }

    @Test
    void functionsAreOnlyCountedWhereTheyAreNotShown() throws Exception {
        FoundProbes found = FoundProbes.of(ProbeCatalog.ofFile(program), Selection.all(false));

        assertThat(found.spellings).hasSize(2);
        assertThat(found.functionCount).isGreaterThan(2);
    }

    @Test
    void aGlobMatchesTheNameAndTheQualifiedNameAndTheSpelling() throws Exception {
        assertThat(matching("req*")).containsExactly("usdt:" + program + ":fixture:request");
        assertThat(matching("fixture:re?uest")).containsExactly("usdt:" + program + ":fixture:request");
        assertThat(matching("uprobe:*:handle")).containsExactly("uprobe:" + program + ":handle");
        assertThat(matching("usdt:*")).hasSize(2);
        assertThat(matching("h*e")).containsExactly("uprobe:" + program + ":handle");
        assertThat(matching("quest")).isEmpty();
        assertThat(matching("handle.*")).isEmpty();
    }

    @Test
    void aGlobMatchesTheNameOfACxxFunction() throws Exception {
        Path cxx = ElfFixture.compile(folder, "names.cpp", "cxx");

        FoundProbes found =
                FoundProbes.of(ProbeCatalog.ofFile(cxx), Selection.matching("outer::inner::Heap::collect*"));

        assertThat(found.spellings).isNotEmpty().allMatch(spelling -> spelling.contains("collect"));
    }

    @Test
    void everySpellingIsASpecOfThatProbe() {
        CatalogFile plain = new CatalogFile("/usr/bin/node", Path.of("/usr/bin/node"), false);
        CatalogFile odd = new CatalogFile("/opt/a b/libstdc++.so.6", Path.of("/x"), false);
        CatalogFile memory = new CatalogFile("/memfd:probes", Path.of("/x"), true);
        for (CatalogFile file : List.of(plain, odd, memory)) {
            for (String function :
                    List.of("uv_run", "net/http.(*Server).Serve", "operator+", "a*b?c", "x.cold", "_Z1fi.cold")) {
                ProbeSpec spec =
                        SpecParser.parse(ProbeSpelling.function(file, new ElfSymbol(function, 0, 1, false, false)));
                assertThat(spec.function()).isEqualTo(function);
                assertThat(spec.isGlob()).isFalse();
                assertThat(spec.module()).isEqualTo(file.isDeleted() ? "memfd:probes" : file.shownPath());
            }
            ProbeSpec spec = SpecParser.parse(ProbeSpelling.usdt(file, "node", "gc__start"));
            assertThat(spec.function()).isEqualTo("node:gc__start");
            assertThat(spec.module()).isEqualTo(file.isDeleted() ? "memfd:probes" : file.shownPath());
        }
    }

    @Test
    void whatIsListedCanBePastedAndIsFound() throws Exception {
        Path odd = Files.createDirectory(folder.resolve("c++ and (more)"));
        Path cxx = ElfFixture.compile(odd, "names.cpp", "c++ names", "-rdynamic");
        Path plus = Files.createDirectory(folder.resolve("c++"));
        Path library =
                CProgram.compile(plus, "catalog/probes", "-shared", "-fPIC").executable();
        Path versioned = Files.copy(library, plus.resolve("libprobes++.so.6"));
        try (RunningProgram running = RunningProgram.start(
                Map.of("LD_PRELOAD", versioned.toString()), program.toString(), library.toString())) {
            List<String> spellings = new ArrayList<>();
            for (Path file : List.of(cxx, library, versioned)) {
                spellings.addAll(FoundProbes.of(ProbeCatalog.ofFile(file), Selection.all(true)).spellings);
            }
            spellings.addAll(
                    FoundProbes.of(ProbeCatalog.ofProcess(running.pid()), Selection.matching("*:fixture:*")).spellings);
            spellings.add("usdt:libprobes++.so.6:fixture:request");
            spellings.add("uprobe:libprobes++.so.6:handle+1");

            assertThat(spellings).contains("usdt:" + library + ":fixture:request", "uprobe:" + library + ":handle");
            assertThat(spellings).anyMatch(spelling -> spelling.startsWith("usdt:\"memfd:fixture\":"));
            try (Resolver resolver = new Resolver()) {
                Target target = Target.of(running.pid());
                for (String spelling : spellings) {
                    assertThat(resolver.resolve(SpecParser.parse(spelling), target))
                            .as(spelling)
                            .isNotEmpty();
                }
            }
        }
    }

    @Test
    void aStrippedFileSaysSo() throws Exception {
        Path stripped = folder.resolve("stripped");
        ElfFixture.run("strip", "-o", stripped.toString(), program.toString());

        FoundProbes found = FoundProbes.of(ProbeCatalog.ofFile(stripped), Selection.all(true));

        assertThat(found.warnings).singleElement().asString().contains("is stripped");
        assertThat(found.usdtProbes).as("probes survive strip").hasSize(2);
    }

    @Test
    void aFileThatIsNoElfFileSaysWhatItIs() throws Exception {
        Path archive = Files.write(folder.resolve("x.jar"), new byte[] {'P', 'K', 3, 4, 0, 0});

        assertThatExceptionOfType(ElfFormatException.class)
                .isThrownBy(() -> FoundProbes.of(ProbeCatalog.ofFile(archive), Selection.all(true)))
                .withMessageContaining("but a ZIP or jar archive");
    }

    @Test
    @KernelTest(since = "5.8")
    void aProcessHasWhatItHasMappedEvenWhereNoPathLeadsToIt() throws Exception {
        Path library = CProgram.compile(
                        Files.createDirectory(folder.resolve("library")), "catalog/probes", "-shared", "-fPIC")
                .executable();
        Path deleted = Files.copy(library, folder.resolve("deleted.so"));
        try (RunningProgram running = RunningProgram.start(
                Map.of("LD_PRELOAD", deleted.toString()), program.toString(), library.toString())) {
            Files.delete(deleted);

            FoundProbes found = FoundProbes.of(ProbeCatalog.ofProcess(running.pid()), Selection.matching("request"));

            assertThat(found.spellings)
                    .containsExactlyInAnyOrder(
                            "usdt:" + program + ":fixture:request",
                            "usdt:deleted.so:fixture:request",
                            "usdt:\"memfd:fixture\":fixture:request");
            assertThat(found.files)
                    .extracting(file -> Path.of(file.shownPath()).getFileName().toString())
                    .contains("libc.so.6", "memfd:fixture");
        }
    }

    @Test
    void aProcessThatIsNotThereIsSaid() {
        assertThatExceptionOfType(ResolveException.class)
                .isThrownBy(() -> FoundProbes.of(ProbeCatalog.ofProcess(NO_SUCH_PID), Selection.all(false)))
                .withMessageContaining("there is no process with this pid");
    }

    @Test
    @KernelTest(since = "5.8")
    void theKernelHasTracepointsWithTheirFields() throws Exception {
        FoundProbes found = FoundProbes.of(ProbeCatalog.ofKernel(), Selection.matching("sched_switch"));

        assertThat(found.spellings).contains("tracepoint:sched:sched_switch", "rawtracepoint:sched_switch");
        assertThat(Objects.requireNonNull(found.tracepoints.get("sched:sched_switch"))
                        .fields())
                .extracting(TracepointField::name)
                .contains("prev_comm", "prev_pid", "next_comm", "next_pid");
    }

    @Test
    @KernelTest(since = "5.8")
    void theKernelHasTheTracepointsThatItSaysCanBeUsed() throws Exception {
        FoundProbes found = FoundProbes.of(ProbeCatalog.ofKernel(), Selection.matching("tracepoint:*"));

        assertThat(found.tracepoints.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Files.readAllLines(Path.of("/sys/kernel/tracing/available_events")));
    }

    @Test
    @KernelTest(since = "5.8")
    void theKernelsFunctionsAreShownByAGlob() throws Exception {
        assertThat(FoundProbes.of(ProbeCatalog.ofKernel(), Selection.matching("vfs_open")).spellings)
                .contains("kprobe:vfs_open");
        FoundProbes all = FoundProbes.of(ProbeCatalog.ofKernel(), Selection.all(false));
        assertThat(all.kernelFunctionCount).isGreaterThan(10_000);
        assertThat(all.spellings).noneMatch(spelling -> spelling.startsWith("kprobe:"));
    }

    private static List<String> matching(String glob) throws Exception {
        return FoundProbes.of(ProbeCatalog.ofFile(program), Selection.matching(glob)).spellings;
    }
}
