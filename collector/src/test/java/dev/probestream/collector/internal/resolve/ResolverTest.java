package dev.probestream.collector.internal.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.catalog.ProbeSpelling;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.PresetTraits.FileCondition;
import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.parse.SpecParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResolverTest {
    @TempDir
    static Path folder;

    private static Path program;
    private static Path cxx;
    private static Path library;
    private static RunningProgram running;
    private static Target target;

    @BeforeAll
    static void start() throws Exception {
        program = ElfFixture.compile(folder, "functions.c", "program", "-pie", "-fPIE", "-fcf-protection=branch");
        cxx = ElfFixture.compile(folder, "names.cpp", "cxx", "-fcf-protection=none");
        library = ElfFixture.compile(folder, "functions.c", "libfixture.so.1.2", "-shared", "-fPIC", "-s");
        running = RunningProgram.start(Map.of("LD_PRELOAD", library.toString()), program.toString());
        target = running.target();
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    private static List<ProbeMatch> resolve(String spec, Target process) throws ResolveException {
        try (Resolver resolver = new Resolver()) {
            return resolver.resolve(SpecParser.parse(spec), process);
        }
    }

    private static ProbeMatch resolveOne(String spec) throws ResolveException {
        List<ProbeMatch> probes = resolve(spec, target);
        assertThat(probes).hasSize(1);
        return probes.get(0);
    }

    private static ResolveException refused(String spec, Target process) {
        return catchThrowableOfType(ResolveException.class, () -> resolve(spec, process));
    }

    private static long startOf(Path file, String function) throws Exception {
        try (ElfFile elf = ElfFile.open(file)) {
            return elf.fileOffset(elf.function(function).orElseThrow());
        }
    }

    @Test
    void theProgramMayBeNamedAsAShellFindsIt() throws Exception {
        Path shell = Path.of("/bin/sh").toRealPath();
        Assumptions.assumeFalse(shell.endsWith("sh"), "sh is no link to a shell of another name");
        try (RunningProgram process = RunningProgram.start("sh", "-c", "echo; read line")) {
            FileFinder finder = new FileFinder(Target.of(process.pid()));

            assertThat(finder.find("sh").shownPath()).isEqualTo(shell.toString());
            assertThat(finder.hasMapped("sh")).isTrue();
            assertThat(finder.hasMapped("ls")).isFalse();
        }
    }

    @Test
    void functionWithoutAPathIsInTheTargetsExecutable() throws Exception {
        ProbeMatch probe = resolveOne("uprobe:hidden");

        assertThat(probe.name()).isEqualTo("hidden");
        assertThat(probe.module()).isEqualTo(program.toString());
        assertThat(probe.locations()).singleElement().satisfies(location -> {
            assertThat(location.symbol()).isEqualTo("hidden");
            assertThat(location.file()).isEqualTo(program);
            assertThat(location.fileId()).isEqualTo(FileId.of(Path.of("/proc/" + target.pid() + "/exe")));
        });
    }

    @Test
    void leadingEndbr64IsSkippedAndAnOffsetIsTakenAsItIs() throws Exception {
        long start = startOf(program, "visible");

        assertThat(resolveOne("uprobe:visible").locations().get(0).fileOffset()).isEqualTo(start + 4);
        assertThat(resolveOne("span:visible").locations().get(0).fileOffset()).isEqualTo(start + 4);
        assertThat(resolveOne("uprobe:visible+4").locations().get(0).fileOffset())
                .isEqualTo(start + 4);
        assertThat(resolveOne("uprobe:" + cxx + ":plain_c").locations().get(0).fileOffset())
                .isEqualTo(startOf(cxx, "plain_c"));
    }

    @Test
    void globGivesOneProbeForEachAddressAndLeavesOutCopies() throws Exception {
        List<ProbeMatch> probes = resolve("uprobe:w*", target);
        assertThat(probes).extracting(ProbeMatch::name).containsExactlyInAnyOrder("weakly", "work");

        // visible and same are one function.
        List<ProbeMatch> aliases = resolve("uprobe:?*e", target);
        assertThat(aliases)
                .extracting(ProbeMatch::name)
                .filteredOn(List.of("visible", "same")::contains)
                .hasSize(1);
    }

    @Test
    void cxxNameGivesAProbeForEachOverload() throws Exception {
        List<ProbeMatch> probes = resolve("span:" + cxx + ":outer::inner::Heap::collect", target);

        assertThat(probes)
                .extracting(ProbeMatch::name)
                .containsExactlyInAnyOrder(
                        "outer::inner::Heap::collect(int)", "outer::inner::Heap::collect(char const*)");
        assertThat(probes).allSatisfy(probe -> assertThat(probe.locations()).hasSize(1));
        assertThat(resolveOne("uprobe:" + cxx + ":free_standing").name()).isEqualTo("free_standing");
        assertThat(resolveOne("uprobe:" + cxx + ":_ZN5outer5inner4Heap7collectEi")
                        .name())
                .isEqualTo("_ZN5outer5inner4Heap7collectEi");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            outer::inner::Heap::collect(int)                       | _ZN5outer5inner4Heap7collectEi
            outer::inner::Heap::collect(const char *)(why=arg2:str)| _ZN5outer5inner4Heap7collectEPKc
            "outer::inner::Heap::collect(char const*)" (x=arg2)    | _ZN5outer5inner4Heap7collectEPKc
            outer::inner::Heap::total() const                      | _ZNK5outer5inner4Heap5totalEv
            outer::inner::Heap::as<double>(double) /tid == 1/      | _ZN5outer5inner4Heap2asIdEET_S3_
            outer::inner::Heap::as<int>                            | _ZN5outer5inner4Heap2asIiEET_S3_
            free_standing(int)                                     | _Z13free_standingi
            """)
    void parametersAndTemplateArgumentsSelectOneFunction(String function, String symbol) throws Exception {
        assertThat(resolveOne("uprobe:" + cxx + ":" + function).locations())
                .extracting(UprobeLocation::symbol)
                .containsExactly(symbol);
    }

    @Test
    void parametersThatNoOverloadHasAreAnsweredWithThoseThatThereAre() {
        assertThat(refused("uprobe:" + cxx + ":outer::inner::Heap::collect(long)", target))
                .hasMessageContaining("there is no function outer::inner::Heap::collect(long)")
                .hasMessageContaining("outer::inner::Heap::collect(int)");
    }

    @Test
    void listedFunctionsAreFoundUnderTheirListedNames() throws Exception {
        try (ElfFile elf = ElfFile.open(cxx)) {
            for (ElfSymbol symbol : elf.allFunctions()) {
                String name = ProbeSpelling.name(symbol);
                if (!name.equals(symbol.name())) {
                    assertThat(resolveOne("uprobe:" + cxx + ":\"" + name + "\"").locations())
                            .as(name)
                            .extracting(UprobeLocation::symbol)
                            .anySatisfy(found -> assertThat(
                                            elf.function(found).orElseThrow().virtualAddress())
                                    .isEqualTo(symbol.virtualAddress()));
                }
            }
        }
    }

    @Test
    void cxxGlobGivesAProbeForEachQualifiedName() throws Exception {
        assertThat(resolve("uprobe:" + cxx + ":outer::inner::Heap::*", target))
                .extracting(ProbeMatch::name)
                .contains(
                        "outer::inner::Heap::collect(int)",
                        "outer::inner::Heap::collect(char const*)",
                        "outer::inner::Heap::total");
    }

    @Test
    void libraryIsFoundByItsNameAmongWhatIsMapped() throws Exception {
        for (String name : List.of("libfixture.so.1.2", "libfixture.so.1", "libfixture", "fixture")) {
            ProbeMatch probe = resolveOne("uprobe:" + name + ":visible");
            assertThat(probe.module()).isEqualTo(library.toString());
            assertThat(probe.locations().get(0).file()).isEqualTo(library);
        }
        assertThat(resolveOne("uprobe:libc:getchar").module()).contains("libc");
    }

    @Test
    void executableThatWasDeletedIsReachedThroughTheProcess() throws Exception {
        Path doomed = Files.copy(program, folder.resolve("doomed"), StandardCopyOption.COPY_ATTRIBUTES);
        try (RunningProgram process = RunningProgram.start(doomed.toString())) {
            FileId running = FileId.of(doomed);
            Files.delete(doomed);
            ProbeMatch probe = resolve("uprobe:visible", process.target()).get(0);

            assertThat(probe.module()).isEqualTo(doomed.toString());
            assertThat(probe.locations().get(0).fileId()).isEqualTo(running);
            assertThat(probe.locations().get(0).file()).isEqualTo(Path.of("/proc/" + process.pid() + "/exe"));
        }
    }

    @Test
    void fileThatWasReplacedIsNotTakenForTheOneThatRuns() throws Exception {
        Path replaced = Files.copy(program, folder.resolve("replaced"), StandardCopyOption.COPY_ATTRIBUTES);
        Path loaded = Files.copy(library, folder.resolve("libloaded.so"), StandardCopyOption.COPY_ATTRIBUTES);
        try (RunningProgram process =
                RunningProgram.start(Map.of("LD_PRELOAD", loaded.toString()), replaced.toString())) {
            FileId runningProgram = FileId.of(replaced);
            FileId runningLibrary = FileId.of(loaded);
            for (Path path : List.of(replaced, loaded)) {
                Files.move(
                        Files.writeString(folder.resolve("new"), "a newer version"),
                        path,
                        StandardCopyOption.REPLACE_EXISTING);
            }
            for (String spec : List.of("uprobe:visible", "uprobe:" + replaced + ":visible")) {
                assertThat(fileOf(spec, process)).as(spec).isEqualTo(runningProgram);
            }
            for (String spec : List.of("uprobe:libloaded:visible", "uprobe:" + loaded + ":visible")) {
                assertThat(fileOf(spec, process)).as(spec).isEqualTo(runningLibrary);
            }
        }
    }

    private static FileId fileOf(String spec, RunningProgram process) throws Exception {
        UprobeLocation location =
                resolve(spec, process.target()).get(0).locations().get(0);
        assertThat(FileId.of(location.file())).isEqualTo(location.fileId());
        return location.fileId();
    }

    @Test
    void unknownFunctionIsAnsweredWithTheNearest() {
        ResolveException e = refused("uprobe:visibel", target);

        assertThat(e.reason()).isEqualTo(Reason.NO_FUNCTION);
        assertThat(e)
                .hasMessage(
                        "resolve uprobe:visibel in " + program + ": there is no function visibel; nearest: visible");
    }

    @Test
    void functionOfAnotherMappedFileIsAnsweredWithThatFile() {
        assertThat(refused("uprobe:fopen", target))
                .hasMessageContaining("there is no function fopen; it is in /")
                .hasMessageContaining("libc");
    }

    @Test
    void strippedFileSaysSoAndWhatCanBeDone() {
        ResolveException e = refused("uprobe:libfixture:hidden", target);

        assertThat(e.reason()).isEqualTo(Reason.NO_FUNCTION);
        assertThat(e)
                .hasMessageContaining(
                        "there is no function hidden; the file is stripped (it has no .symtab) and has no debug file,"
                                + " so that only the ")
                .hasMessageContaining("functions it exports have names");
        assertThat(refused("uprobe:libfixture:nowhere_at_all", target))
                .hasMessageContaining("install its debug symbols or run a build that is not stripped");
    }

    @Test
    void globWithoutAMatchSaysSo() {
        assertThat(refused("uprobe:zzz*", target)).hasMessageContaining("no function matches zzz*");
    }

    @Test
    void offsetOutsideTheFunctionIsRefused() {
        assertThat(refused("uprobe:visible+5000", target))
                .hasMessageMatching(
                        "resolve uprobe:visible\\+5000 in .*: byte 5000 is not in visible, which has \\d+" + " bytes");
    }

    @Test
    void offsetWithinAnInstructionIsRefused() {
        ResolveException e = refused("uprobe:visible+1", target);

        assertThat(e.reason()).isEqualTo(Reason.REFUSED);
        assertThat(e)
                .hasMessage(
                        "resolve uprobe:visible+1 in " + program + ": no instruction begins at byte 1 of visible; the"
                                + " nearest ones begin at bytes 0 and 4; a probe within an instruction would crash the program"
                                + " ('objdump -d " + program + "' shows where they begin)");
    }

    @Test
    void indirectFunctionIsRefusedAndLeftOutOfGlobs() throws Exception {
        assertThat(refused("uprobe:chosen", target).reason()).isEqualTo(Reason.REFUSED);
        assertThat(resolve("uprobe:chosen*", target))
                .extracting(ProbeMatch::name)
                .containsExactly("chosen_plain");
    }

    @Test
    void globOfAllFunctionsOfALargeLibraryIsRefused() {
        assertThat(refused("uprobe:libc:*", target))
                .hasMessageMatching(
                        "(?s).*: \\d+ functions match, at most 1000 can be probed at once; narrow the glob");
    }

    @Test
    void returnOfAGoFunctionIsRefusedButItsEntryIsNot() throws Exception {
        Path go = ElfFixture.compile(folder, "functions.c", "go", "-DLOOKS_LIKE_GO");

        assertThat(resolveOne("uprobe:" + go + ":visible").locations()).hasSize(1);
        for (String kind : List.of("uretprobe", "span")) {
            ResolveException e = refused(kind + ":" + go + ":visible", target);
            assertThat(e.reason()).isEqualTo(Reason.REFUSED);
            assertThat(e)
                    .hasMessageContaining("this is a Go program, and " + kind + " replaces return addresses")
                    .hasMessageContaining("go:visible+0x")
                    .hasMessageContaining("the program would crash");
        }
    }

    @Test
    void fileForAnotherProcessorIsRefused() throws Exception {
        byte[] bytes = Files.readAllBytes(program);
        bytes[18] = (byte) (bytes[18] == 62 ? 183 : 62); // e_machine: EM_X86_64, EM_AARCH64
        Path foreign = Files.write(folder.resolve("foreign"), bytes);

        assertThat(refused("uprobe:" + foreign + ":visible", target))
                .hasMessageContaining("the file is built for ")
                .hasMessageContaining(", this machine is ");
    }

    @Test
    void fileThatIsMissingOrNoElfFileIsRefused() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "hello");

        ResolveException missing = refused("uprobe:/no/such/file:f", target);
        assertThat(missing.reason()).isEqualTo(Reason.NO_FILE);
        assertThat(missing)
                .hasMessage("open /no/such/file as process " + target.pid()
                        + " (program) sees it: no such file or directory");
        assertThat(refused("uprobe:" + text + ":f", target)).hasMessageContaining("is not an ELF file");
        assertThat(refused("uprobe:" + folder + ":f", target)).hasMessageContaining("is not a regular file");
        assertThat(refused("uprobe:./no-program:f", target))
                .hasMessageContaining("open " + System.getProperty("user.dir") + "/no-program as process");
    }

    @Test
    void libraryThatIsNotMappedIsAnsweredWithThoseThatAre() {
        ResolveException e = refused("uprobe:libnothere:f", target);

        assertThat(e.reason()).isEqualTo(Reason.NO_FILE);
        assertThat(e)
                .hasMessageContaining("it has mapped no such file, only ")
                .hasMessageContaining("libfixture.so.1.2")
                .hasMessageContaining("one that it loads later can be given by its path");
    }

    @Test
    void optionalProbeThatIsMissingGetsTheShortAnswer() {
        ProbeSpec optional = ofSet("uprobe:visibel", FileCondition.NONE);
        try (Resolver resolver = new Resolver()) {
            assertThat(catchThrowableOfType(ResolveException.class, () -> resolver.resolve(optional, target)))
                    .hasMessage("resolve uprobe:visibel in " + program + ": there is no function visibel");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "hidden, , true",
        "visibel, , false",
        ", visibel, true",
        ", hidden, false",
        "hidden, visibel, true",
        "hidden, visible, false",
    })
    void probeIsForFilesThatHaveAndLackTheFunctionsThatItsConditionNames(
            @Nullable String requires, @Nullable String lacks, boolean isMeant) throws Exception {
        FileCondition condition = new FileCondition(Optional.ofNullable(requires), Optional.ofNullable(lacks));
        ProbeSpec spec = ofSet("uprobe:visible", condition);
        try (Resolver resolver = new Resolver()) {
            if (isMeant) {
                assertThat(resolver.resolve(spec, target)).hasSize(1);
            } else {
                assertThat(catchThrowableOfType(ResolveException.class, () -> resolver.resolve(spec, target))
                                .reason())
                        .isEqualTo(Reason.NOT_MEANT);
            }
        }
    }

    @Test
    void probeIsForFilesWhoseCodeShowsTheLayout() throws Exception {
        KnownLayout empty = new KnownLayout("a", "visible", List.of());
        KnownLayout different = new KnownLayout("b", "visible", List.of("0102030405060708090a"));
        KnownLayout missing = new KnownLayout("c", "visibel", List.of());

        assertThat(isMeant(List.of(different, empty), List.of())).isTrue();
        assertThat(isMeant(List.of(different), List.of())).isFalse();
        assertThat(isMeant(List.of(missing), List.of())).isFalse();
        assertThat(isMeant(List.of(), List.of(different, missing))).isTrue();
        assertThat(isMeant(List.of(), List.of(different, empty))).isFalse();
        assertThat(isMeant(List.of(new KnownLayout("d", "visible", List.of(), Optional.of(empty))), List.of()))
                .isTrue();
        assertThat(isMeant(List.of(new KnownLayout("e", "visible", List.of(), Optional.of(different))), List.of()))
                .isFalse();
    }

    private static boolean isMeant(List<KnownLayout> layouts, List<KnownLayout> others) throws ResolveException {
        FileCondition condition = new FileCondition(Optional.empty(), Optional.empty(), layouts, others);
        try (Resolver resolver = new Resolver()) {
            return !resolver.resolve(ofSet("uprobe:visible", condition), target).isEmpty();
        } catch (ResolveException e) {
            assertThat(e.reason()).isEqualTo(Reason.NOT_MEANT);
            return false;
        }
    }

    /** As a preset has it. */
    private static ProbeSpec ofSet(String text, FileCondition condition) {
        ProbeSpec spec = SpecParser.parse(text);
        PresetTraits traits = new PresetTraits("", "node-fs", true, "", condition);
        return spec.ofPreset(spec.arguments(), spec.result(), spec.filter(), traits);
    }
}
