package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.TargetSelection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** USDT probes beside others: probes of functions on their instructions, files that are of no use, each means to attach. */
@KernelTest(since = "6.6")
class UsdtCompanyTest {
    @TempDir
    static Path folder;

    private static CProgram watched;
    private static CProgram forms;

    @BeforeAll
    static void compile() throws Exception {
        watched = CProgram.compile(folder, "usdt/watched", "-ldl");
        forms = CProgram.compile(folder, "usdt/forms");
    }

    private static Path compileLibrary(String name, String... flags) throws Exception {
        List<String> all = new ArrayList<>(List.of("-shared", "-fPIC"));
        all.addAll(Arrays.asList(flags));
        Path own = Files.createTempDirectory(folder, name);
        return CProgram.compile(own, "usdt/late", all.toArray(new String[0])).executable();
    }

    private static List<List<Long>> numbers(Recorded recorded, String probe) {
        return recorded.of(probe).stream().map(Recorded.Kept::numbers).toList();
    }

    @ParameterizedTest
    @EnumSource(UprobeAttachMethod.class)
    void everyMeansToAttachServesSitesAndTheirSemaphore(UprobeAttachMethod means) throws Exception {
        try (CProgram.Running program = watched.start();
                CProgram.Running other = forms.start()) {
            SmallRecording recording = SmallRecording.of(
                    folder,
                    SmallRecording.request(
                            TargetSelection.ofPids(List.of(program.pid(), other.pid())),
                            "usdt:watched:step",
                            "usdt:forms:sites",
                            "usdt:forms:http__*"),
                    means,
                    () -> {
                        assertThat(program.ask("sem")).isEqualTo("1");
                        assertThat(program.ask("hit")).isEqualTo("passed");
                        other.ask("sites 5");
                        other.ask("names 7");
                    });

            assertThat(recording.notices()).isEmpty();
            Recorded recorded = recording.recorded();
            assertThat(numbers(recorded, "watched:step")).containsExactly(List.of(42L));
            assertThat(numbers(recorded, "forms:sites"))
                    .containsExactly(List.of(5L, 5L), List.of(5L, 1L), List.of(5L, 0L));
            assertThat(numbers(recorded, "forms:http__server__request")).containsExactly(List.of(7L));
            assertThat(numbers(recorded, "forms:http__server__response")).containsExactly(List.of(7L));
            assertThat(program.ask("sem")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"late_semaphore", "0"})
    void functionThatBeginsWithASiteIsProbedBesideIt(String semaphore) throws Exception {
        Path library = compileLibrary("beside", "-DSEMAPHORE=\"" + semaphore + "\"");
        try (CProgram.Running program = watched.start()) {
            assertThat(program.ask("load " + library)).isEqualTo("loaded");
            for (UprobeAttachMethod means : UprobeAttachMethod.values()) {
                SmallRecording recording = SmallRecording.of(
                        folder,
                        SmallRecording.request(
                                TargetSelection.ofPids(List.of(program.pid())),
                                "span:" + library + ":late_hit (n=arg1)",
                                "usdt:late:hit",
                                "uprobe:" + library + ":late_hit+0 (n=arg1)"),
                        means,
                        () -> program.ask("call 8"));

                assertThat(recording.notices()).as(means.toString()).isEmpty();
                assertThat(numbers(recording.recorded(), "late:hit")).containsExactly(List.of(8L));
                assertThat(recording.recorded().of("late_hit")).hasSize(2);
                assertThat(recording.recorded().lost()).isZero();
                assertThat(program.ask("watched")).isEqualTo("0");
            }
        }
    }

    @Test
    void fileWithDamagedNotesDoesNotKeepTheOthersFromUse() throws Exception {
        Path damaged = compileLibrary("damaged");
        byte[] bytes = Files.readAllBytes(damaged);
        int owner = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("stapsdt\0");
        bytes[owner - 5] = 0x7f; // the length of the note (Elf64_Nhdr, n_descsz) reaches beyond the file
        Files.write(damaged, bytes);
        try (CProgram.Running program = watched.start()) {
            assertThat(program.ask("map " + damaged)).isEqualTo("mapped");
            for (String spec : List.of("usdt:watched:step", "usdt:watch*:*", "u:step")) {
                if (spec.equals("u:step")) {
                    assertThatThrownBy(() -> open(program, spec)).hasMessageContaining("there is a USDT probe and");
                    continue;
                }
                SmallRecording recording =
                        SmallRecording.ofProcess(folder, program.pid(), () -> program.ask("hit"), spec);

                assertThat(numbers(recording.recorded(), "watched:step")).containsExactly(List.of(42L));
                assertThat(recording.notices())
                        .singleElement()
                        .satisfies(notice -> assertThat(notice)
                                .startsWith("read the USDT probes of " + damaged)
                                .contains(damaged.toString()));
            }
            assertThatThrownBy(() -> open(program, "usdt:" + damaged + ":late:hit"))
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("read the USDT probes of " + damaged);
        }
    }

    @Test
    void fileOfAnotherProcessorIsPassedOverAndRefusedWhenNamed() throws Exception {
        Path foreign = compileLibrary("foreign");
        byte[] bytes = Files.readAllBytes(foreign);
        bytes[18] = (byte) (bytes[18] == 62 ? 183 : 62); // e_machine: EM_X86_64, EM_AARCH64
        Files.write(foreign, bytes);
        try (CProgram.Running program = watched.start()) {
            assertThat(program.ask("map " + foreign)).isEqualTo("mapped");
            SmallRecording recording =
                    SmallRecording.ofProcess(folder, program.pid(), () -> program.ask("hit"), "usdt:watched:step");

            assertThat(numbers(recording.recorded(), "watched:step")).containsExactly(List.of(42L));
            assertThat(recording.notices()).isEmpty();
            assertThatThrownBy(() -> open(program, "usdt:" + foreign + ":late:hit"))
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("the file is built for ");
        }
    }

    private static void open(CProgram.Running program, String spec) throws Exception {
        Collector.open(SmallRecording.request(TargetSelection.ofPids(List.of(program.pid())), spec))
                .close();
    }
}
