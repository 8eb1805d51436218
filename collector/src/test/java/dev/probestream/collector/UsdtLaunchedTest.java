package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.usdt.UsdtNotes;
import dev.probestream.collector.internal.find.ProbeNumbering;
import dev.probestream.collector.probe.ResolveException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes of a command that is started for being recorded, in the libraries it begins with and in those it loads later. */
@KernelTest(since = "6.6")
class UsdtLaunchedTest {
    @TempDir
    static Path folder;

    private static Path library;
    private static CProgram hasty;
    private static CProgram plugins;

    @BeforeAll
    static void compile() throws Exception {
        library = compileLibrary("linked");
        hasty = CProgram.compile(
                folder,
                "usdt/hasty",
                "-Wl,--no-as-needed",
                library.toString(),
                "-Wl,-rpath," + library.resolveSibling("."));
        plugins = CProgram.compile(folder, "usdt/plugins", "-ldl");
    }

    private static Path compileLibrary(String name, String... flags) throws Exception {
        List<String> all = new ArrayList<>(List.of("-shared", "-fPIC", "-Wl,-soname,liblate.so"));
        all.addAll(Arrays.asList(flags));
        Path own = Files.createTempDirectory(folder, name);
        CProgram compiled = CProgram.compile(own, "usdt/late", all.toArray(new String[0]));
        return Files.move(compiled.executable(), own.resolve("liblate.so")).toRealPath();
    }

    private static SmallRecording record(List<String> command, String... specs) throws Exception {
        return SmallRecording.ofCommand(folder, false, command, specs);
    }

    private static List<String> plugins(String... arguments) {
        List<String> command = new ArrayList<>(List.of(plugins.executable().toString()));
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    private static List<List<Long>> numbers(SmallRecording recording, String probe) {
        return recording.recorded().of(probe).stream()
                .map(Recorded.Kept::numbers)
                .toList();
    }

    @Test
    void librariesACommandIsLinkedToAreProbedFromItsFirstInstruction() throws Exception {
        for (String spec : List.of(
                "usdt:late:hit",
                "usdt:liblate:late:hit",
                "u:late:hit",
                "usdt:" + library + ":late:hit",
                "usdt:?ate:h*")) {
            SmallRecording recording = record(List.of(hasty.executable().toString()), spec);

            assertThat(numbers(recording, "late:hit")).as(spec).containsExactly(List.of(1L), List.of(2L));
            assertThat(recording.notices()).as(spec).isEmpty();
        }
        SmallRecording recording = record(List.of(hasty.executable().toString()), "uprobe:late:late_hit (n=arg1)");
        assertThat(numbers(recording, "late_hit")).containsExactly(List.of(1L), List.of(2L));
    }

    @Test
    void librariesLoadedLaterAreAwaitedAndTheNoticeSaysHowToSeeAll() throws Exception {
        SmallRecording recording = record(plugins("3", library.toString()), "usdt:late:hit");

        assertThat(numbers(recording, "late:hit")).containsExactly(List.of(3L));
        assertThat(recording.notices()).hasSize(2);
        assertThat(recording.notices().get(0))
                .isEqualTo("usdt:late:hit is in no file of the target so far; it is attached once the target has"
                        + " mapped one that has it (name the file by its path to see hits from its first moment)");
        assertThat(recording.notices().get(1))
                .matches("late:hit was attached \\d+\\.\\d ms after " + library
                        + " was mapped; hits in between may be missing");
    }

    @Test
    void librariesLoadedLaterAreProbedAtOnceWhenNamedByTheirPath() throws Exception {
        SmallRecording recording = record(plugins("now", "4", library.toString()), "usdt:" + library + ":late:hit");

        assertThat(numbers(recording, "late:hit")).containsExactly(List.of(4L));
        assertThat(recording.notices()).isEmpty();
    }

    @Test
    void aLibraryThatTheLinkerKnowsByItsNameIsProbedBeforeItIsLoaded() throws Exception {
        CProgram dlopens = CProgram.compile(folder, "usdt/dlopens", "-ldl");
        for (String spec : List.of("uprobe:libm.so.6:cbrt", "span:m:cbrt", "u:libm:cbrt")) {
            SmallRecording recording =
                    record(List.of(dlopens.executable().toString(), "libm.so.6", "cbrt", "100"), spec);

            assertThat(recording.recorded().of("cbrt")).as(spec).hasSize(100);
            assertThat(recording.notices()).as(spec).isEmpty();
        }
    }

    @Test
    void anotherLibraryOfThatNameIsProbedWhenItIsLoaded() throws Exception {
        Path other = Files.createTempDirectory(folder, "other").resolve("libm.so.6");
        Files.copy(compileLibrary("cube", "-fno-builtin", "-DPASSES=cbrt"), other);
        SmallRecording recording =
                record(plugins("8", other.toString()), "uprobe:libm.so.6:cbrt (n=arg1)", "usdt:libm.so.6:late:hit");

        assertThat(numbers(recording, "cbrt")).containsExactly(List.of(8L));
        assertThat(numbers(recording, "late:hit")).containsExactly(List.of(8L));
    }

    @Test
    void functionsOfALibraryThatIsNamedAreProbedOnceItIsLoaded() throws Exception {
        SmallRecording recording = record(
                plugins("5", library.toString()),
                "usdt:late:other",
                "span:late:late_call (n=arg1, ret)",
                "uprobe:late:late_hit (n=arg1)");

        assertThat(recording.recorded().of("late_call")).singleElement().satisfies(call -> {
            assertThat(call.numbers()).containsExactly(5L);
            assertThat(call.returnValue()).isEqualTo(10);
        });
        assertThat(numbers(recording, "late_hit")).containsExactly(List.of(5L));
        assertThat(numbers(recording, "late:other")).containsExactly(List.of(5L));
    }

    @Test
    void librariesThatFollowedChildrenLoadAreProbed() throws Exception {
        SmallRecording recording =
                SmallRecording.ofCommand(folder, true, plugins("fork", "6", library.toString()), "usdt:late:hit");

        assertThat(numbers(recording, "late:hit")).containsExactly(List.of(6L));
        Recorded.Kept event = recording.recorded().events.get(0);
        assertThat(recording.recorded().processes).hasSize(2).containsKey(event.pid());
    }

    @Test
    void widerArgumentsOfLaterSitesAreCutAndThatIsSaid() throws Exception {
        Path narrow = compileLibrary("narrow", "-DARGUMENTS=\"-4@%edi\"");
        SmallRecording recording =
                record(plugins("5000000000", narrow.toString(), library.toString()), "usdt:late:hit");

        assertThat(numbers(recording, "late:hit")).containsExactly(List.of(705032704L), List.of(705032704L));
        assertThat(recording.notices())
                .contains("late:hit has wider arguments in " + library
                        + " than where it was found first: their upper bits are cut off");
    }

    @Test
    void moreNamesThanIdsAreSparedAreLeftOutAndThatIsSaid() throws Exception {
        Path many = compileLibrary("many", "-DMANY");
        SmallRecording recording = record(plugins("7", many.toString()), "usdt:late:*");

        assertThat(recording.recorded().probes).hasSize(ProbeNumbering.SPARE);
        assertThat(numbers(recording, "late:hit")).containsExactly(List.of(7L));
        assertThat(recording.notices())
                .containsOnlyOnce(
                        "more than 64 USDT probes appeared later; the further ones are not attached (start again to have"
                                + " them)");
    }

    @Test
    void everyClassThatAJavaCommandLoadsIsSeen() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java").toRealPath();
        Path libjvm = java.resolveSibling("../lib/server/libjvm.so").toRealPath();
        try (ElfFile elf = ElfFile.open(libjvm)) {
            Assumptions.assumeThat(UsdtNotes.read(elf)).isNotEmpty();
        }
        for (String spec : List.of("usdt:" + libjvm + ":hotspot:class__loaded", "usdt:hotspot:class__loaded")) {
            Path log = folder.resolve("classes.log");
            SmallRecording recording =
                    record(List.of(java.toString(), "-Xlog:class+load=info:file=" + log + ":none", "-version"), spec);

            assertThat(recording.recorded().of("hotspot:class__loaded"))
                    .as(spec)
                    .hasSameSizeAs(Files.readAllLines(log))
                    .first()
                    .satisfies(event -> assertThat(event.strings()).containsExactly("java/lang/Object"));
            assertThat(recording.recorded().lost()).isZero();
            assertThat(recording.notices()).as(spec).isEmpty();
        }
    }

    @Test
    void setsThatDoNotFitACommandAreAnsweredForItAndNotForTheShellThatHoldsIt() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java").toRealPath();
        assertThatThrownBy(() -> record(List.of(java.toString(), "-version"), "node-fs"))
                .isInstanceOf(ResolveException.class)
                .hasMessageContaining(java.toString());
    }
}
