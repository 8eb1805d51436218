package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.probe.ResolveException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A probe that saw nothing is named at the end, with the reason: misspelled, attached nowhere, or not hit. */
@KernelTest(since = "6.6")
class ProbesWithoutHitsTest {
    @TempDir
    static Path folder;

    private static Path library;
    private static CProgram hasty;
    private static CProgram plugins;

    @BeforeAll
    static void compile() throws Exception {
        Path own = Files.createDirectory(folder.resolve("library"));
        CProgram compiled = CProgram.compile(own, "usdt/late", "-shared", "-fPIC", "-Wl,-soname,liblate.so");
        library = Files.move(compiled.executable(), own.resolve("liblate.so")).toRealPath();
        hasty = CProgram.compile(folder, "usdt/hasty", "-Wl,--no-as-needed", library.toString(), "-Wl,-rpath," + own);
        plugins = CProgram.compile(folder, "usdt/plugins", "-ldl");
    }

    @Test
    void aMisspelledNameOfALinkedLibraryIsAnError() {
        for (String spec : List.of("uprobe:liblate:late_hti", "usdt:liblate:late:hti", "u:liblate:late_hti")) {
            assertThatThrownBy(() -> record(List.of(hasty.executable().toString()), spec))
                    .as(spec)
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("nearest: ")
                    .hasMessageContaining("hit");
        }
    }

    @Test
    void aFunctionOfWhichOnlyACopyIsLeftIsNamed() {
        assertThatThrownBy(() -> record(List.of(hasty.executable().toString()), "uprobe:liblate:late_static"))
                .isInstanceOf(ResolveException.class)
                .hasMessageContaining(
                        "there is no function late_static; the compiler has left late_static.isra.0 of it: name that");
    }

    @Test
    void aMisspelledNameOfALibraryThatIsLoadedLaterIsAnErrorAtTheEnd() throws Exception {
        SmallRecording recording = record(
                List.of(plugins.executable().toString(), "5", library.toString()),
                "uprobe:liblate:late_hti",
                "usdt:late:hit",
                "usdt:liblate:late:hti",
                "usdt:never:there",
                "uprobe:libnever:f");

        assertThat(recording.recorded().of("late:hit")).hasSize(1);
        assertThat(recording.misspelled())
                .hasSize(2)
                .allSatisfy(text -> assertThat(text).contains("nearest: "))
                .anySatisfy(text -> assertThat(text).contains("there is no function late_hti", "late_hit"))
                .anySatisfy(text -> assertThat(text).contains("none is called late:hti", "late:hit"));
        assertThat(recording.notices())
                .contains(
                        "attached nowhere, because no file with usdt:never:there, uprobe:libnever:f was found in the target"
                                + " before it ended");
    }

    /** It may end before anyone has looked at what it mapped. */
    @Test
    void nothingIsSaidOfTheFilesOfACommandThatEndsAtOnceThatIsNotKnown() throws Exception {
        SmallRecording recording =
                record(List.of(plugins.executable().toString(), "now", "5", library.toString()), "usdt:late:hit");

        assertThat(recording.notices())
                .noneSatisfy(notice -> assertThat(notice).contains("mapped no file"))
                .anySatisfy(notice ->
                        assertThat(notice).containsAnyOf("was found in the target before it ended", "was attached"));
    }

    @Test
    void probesThatAreAttachedAndNotHitAreNamed() throws Exception {
        SmallRecording recording = record(
                List.of(hasty.executable().toString()),
                "usdt:late:hit",
                "uprobe:liblate:late_call",
                "uprobe:liblate:late_hit (n=arg1) /n > 1000/",
                "tracepoint:syscalls:sys_enter_reboot");

        assertThat(recording.notices())
                .containsExactly("attached, not hit: uprobe:liblate.so:late_call, uprobe:liblate.so:late_hit,"
                        + " tracepoint:syscalls:sys_enter_reboot (a hit that a filter rejects does not count)");
        assertThat(recording.recorded().ends.get(0).getReason().lines())
                .containsExactly(
                        "the command '" + hasty.executable() + "' ended with status 0",
                        recording.notices().get(0));
    }

    @Test
    void probesOfASetThatAreNotHitAreNamedInOneLine() throws Exception {
        SmallRecording recording = record(List.of("sleep", "0.01"), "sched", "syscalls", "profile");

        assertThat(recording.notices())
                .filteredOn(line -> line.contains("not hit"))
                .hasSizeLessThanOrEqualTo(3)
                .noneMatch(line -> line.contains("syscalls"));
    }

    private static SmallRecording record(List<String> command, String... specs) throws Exception {
        return SmallRecording.ofCommand(folder, false, command, specs);
    }
}
