package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every form that an argument of a USDT probe can have, from the site to the event. */
@KernelTest(since = "6.6")
class UsdtFormsTest {
    private static final long V = 0x8182838485868788L;

    @TempDir
    static Path folder;

    private static CProgram forms;
    private static CProgram fixed;

    @BeforeAll
    static void compile() throws Exception {
        forms = CProgram.compile(folder, "usdt/forms");
        Path other = Files.createDirectory(folder.resolve("fixed"));
        fixed = CProgram.compile(other, "usdt/forms", "-no-pie");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
            })
    void everyRegisterIsReadAtEveryWidthWithItsSign(String register) throws Exception {
        Recorded.Kept event = hit(forms, register, V);

        assertThat(event.numbers())
                .containsExactly(
                        V,
                        V,
                        0x85868788L,
                        0xffffffff85868788L,
                        0x8788L,
                        (long) (short) 0x8788,
                        0x88L,
                        (long) (byte) 0x88,
                        0x8788L,
                        0L);
        assertThat(event.unavailable()).isEqualTo(1L << 9);
    }

    @Test
    void secondBytesOfRegistersAreRead() throws Exception {
        assertThat(hit(forms, "high", V).numbers())
                .containsExactly(0x87L, -121L, 0x87L, -121L, 0x87L, -121L, 0x87L, -121L);
    }

    @Test
    void stackPointerAndWhatLiesThere() throws Exception {
        Recorded.Kept event = hit(forms, "stack", V);

        assertThat(event.numbers().subList(0, 4)).containsExactly(V, 0xffffffff81828384L, 0x8182L, -120L);
        assertThat(event.numbers().get(4)).isEqualTo(event.numbers().get(5));
    }

    @Test
    void memoryIsReadWithDisplacementIndexAndScale() throws Exception {
        Recorded.Kept event = hit(forms, "memory", 1);

        assertThat(event.unavailable()).isZero();
        assertThat(event.numbers())
                .containsExactly(
                        0x1122334455667788L,
                        -1L,
                        0x11223344L,
                        -2L,
                        0xffffffffL,
                        -1L,
                        0x11L,
                        0xfe11L,
                        0x1122334455667788L);
    }

    @Test
    void constantsAreAsTheyStand() throws Exception {
        assertThat(hit(forms, "constant", 0).numbers())
                .containsExactly(7L, -7L, 16L, 255L, -1L, -5_000_000_000L, 65535L);
    }

    @Test
    void symbolsAreReadWhereverTheFileIsLoaded() throws Exception {
        for (CProgram program : List.of(forms, fixed)) {
            Recorded.Kept event = hit(program, "symbol", 0);

            assertThat(event.numbers()).containsExactly(1234567L, -7654321L, 0x7fffffffffffL, 0L);
            assertThat(event.unavailable()).isEqualTo(0b1000);
        }
    }

    @Test
    void whatCannotBeReadIsMissingAndNotZero() throws Exception {
        Recorded.Kept event = hit(forms, "unreadable", 5);

        assertThat(event.numbers()).containsExactly(5L, 0L, 0L, 0L, 5L);
        assertThat(event.strings()).containsExactly(""); // the floating-point number
        assertThat(event.unavailable()).isEqualTo(0b011101);
    }

    @Test
    void floatingPointNumbersAreReadWhereBpfSeesThem() throws Exception {
        Recorded.Kept event = hit(forms, "floating", Double.doubleToRawLongBits(-1234.5));

        assertThat(event.strings()).containsExactly("-1234.5", "-1234.5", "", "-1.5", "2.5", "3.25");
        assertThat(event.numbers()).containsExactly(Double.doubleToRawLongBits(-1234.5));
        assertThat(event.unavailable()).isEqualTo(0b100);
    }

    @Test
    void floatingPointNumbersAreNotTakenForIntegersOrOtherSizes() throws Exception {
        try (CProgram.Running program = forms.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> program.ask("floating 4059000000000000"),
                            "usdt:forms:floating (a=arg1:s64, b=arg1:f32, c=arg1:f64, d=arg7:f64)")
                    .recorded();

            assertThat(recorded.events.get(0).numbers()).containsExactly(0L);
            assertThat(recorded.events.get(0).strings()).containsExactly("", "100.0", "100.0");
            assertThat(recorded.events.get(0).unavailable()).isEqualTo(0b0011);
        }
    }

    @Test
    void textsAndWhatPointersPointToAreReadFromAnyPlace() throws Exception {
        try (CProgram.Running program = forms.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> program.ask("text text"),
                            "usdt:forms:text (a=arg1:str, b=arg2:str, first=*arg2:u8, c=arg3:str[4], end=*arg1:char[4]@+8)")
                    .recorded();

            assertThat(recorded.events).hasSize(1);
            assertThat(recorded.events.get(0).strings()).containsExactly("grüß dich", "grüß dich", "grü…", "ich");
            assertThat(recorded.events.get(0).numbers()).containsExactly((long) 'g');
        }
    }

    @Test
    void sitesOfOneNameAreOneProbeWhateverTheirForms() throws Exception {
        try (CProgram.Running program = forms.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder, program.pid(), () -> program.ask("sites fffffffffffffffe"), "usdt:forms:sites")
                    .recorded();

            assertThat(recorded.probes.values()).extracting(Probe::getName).containsExactly("forms:sites");
            assertThat(recorded.probes.values())
                    .flatExtracting(Probe::getArguments)
                    .extracting(Argument::getName, Argument::getType)
                    .containsExactly(tuple("arg1", "s64"), tuple("arg2", "u64"));
            assertThat(recorded.events)
                    .extracting(Recorded.Kept::numbers)
                    .containsExactly(List.of(0xfffffffeL, -2L), List.of(-2L, 1L), List.of(-2L, 0L));
            assertThat(recorded.events).extracting(Recorded.Kept::unavailable).containsExactly(0L, 0L, 2L);
        }
    }

    @Test
    void filterLooksAtWhatTheSiteHas() throws Exception {
        try (CProgram.Running program = forms.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> program.ask("sites 5"),
                            "usdt:forms:sites (a=arg1) /arg2 == 5/")
                    .recorded();

            assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(5L));
        }
    }

    @Test
    void filtersLookAtTextsAndAtWhoHits() throws Exception {
        try (CProgram.Running program = forms.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> {
                                program.ask("text text");
                                program.ask("sites 5");
                                program.ask("sites 6");
                            },
                            "usdt:forms:text (a=arg1:str) /a ^= \"grüß\" && comm == \"forms\"/",
                            "usdt:forms:text (a=arg1:str, b=arg2:str) /a ^= \"gruess\"/",
                            "usdt:forms:text (a=arg1:str[4]) /arg2:str == \"grüß dich\"/",
                            "usdt:forms:sites (a=arg1) /comm != \"forms\"/",
                            "usdt:forms:sites (a=arg1) /a == 6 && pid == " + program.pid() + "/")
                    .recorded();

            assertThat(recorded.of("forms:text"))
                    .extracting(Recorded.Kept::strings)
                    .containsExactlyInAnyOrder(List.of("grüß dich"), List.of("grü…"));
            assertThat(recorded.of("forms:sites"))
                    .extracting(Recorded.Kept::numbers)
                    .containsExactly(List.of(6L), List.of(6L), List.of(6L));
            assertThat(recorded.lost()).isZero();
        }
    }

    @Test
    void textWhoseLengthIsAnArgumentThatIsNotThereIsRefusedOrMissing() throws Exception {
        try (CProgram.Running program = forms.start()) {
            assertThatThrownBy(() -> open(program, "usdt:forms:text (a=arg1:str[arg7])"))
                    .isInstanceOf(ProbeArgumentException.class)
                    .hasMessageContaining("forms:text has no arg7; it has 8@%r13 8@(%rsp) 8@%rdi");

            Recorded recorded = SmallRecording.ofProcess(
                            folder, program.pid(), () -> program.ask("text text"), "usdt:forms:te?t (a=arg1:str[arg7])")
                    .recorded();
            assertThat(recorded.events).singleElement().satisfies(event -> {
                assertThat(event.strings()).containsExactly("");
                assertThat(event.unavailable()).isEqualTo(1);
            });
        }
    }

    @Test
    void globsMatchProvidersAndNames() throws Exception {
        try (CProgram.Running program = forms.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder, program.pid(), () -> program.ask("names 7"), "usdt:f*s:http__*", "usdt:forms:r1?")
                    .recorded();

            assertThat(recorded.events)
                    .extracting(Recorded.Kept::probe)
                    .containsExactly("forms:http__server__request", "forms:http__server__response");
            assertThat(recorded.probes).hasSize(8);
        }
    }

    @Test
    void eitherKindIsFoundUnderItsShortSpelling() throws Exception {
        try (CProgram.Running program = forms.start()) {
            for (String spec : List.of(
                    "u:http__server__request",
                    "u:forms:http__server__request",
                    "u:" + forms.executable() + ":http__server__request",
                    "u:" + forms.executable() + ":forms:http__server__request")) {
                Recorded recorded = SmallRecording.ofProcess(
                                folder, program.pid(), () -> program.ask("names 7"), spec + " (a=arg1)")
                        .recorded();
                assertThat(recorded.events)
                        .as(spec)
                        .extracting(Recorded.Kept::numbers)
                        .containsExactly(List.of(7L));
            }
            Recorded recorded = SmallRecording.ofProcess(
                            folder, program.pid(), () -> program.ask("names 7"), "u:set_names (a=arg1)")
                    .recorded();
            assertThat(recorded.events).extracting(Recorded.Kept::numbers).containsExactly(List.of(7L));
        }
    }

    @Test
    void whoseNameIsBothMustSayWhich() throws Exception {
        try (CProgram.Running program = forms.start()) {
            assertThatThrownBy(() -> open(program, "u:both"))
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("write usdt:" + forms.executable() + ":forms:both or uprobe:"
                            + forms.executable() + ":both");
            assertThatThrownBy(() -> open(program, "u:http__server__reqest"))
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("found neither")
                    .hasMessageContaining("nearest: forms:http__server__request")
                    .hasMessageContaining("there is no function http__server__reqest");
        }
    }

    @Test
    void whatIsMissingIsSaidWithWhatThereIs() throws Exception {
        try (CProgram.Running program = forms.start()) {
            assertThatThrownBy(() -> open(program, "usdt:forms:http__server__reqest"))
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("looked in ")
                    .hasMessageContaining("nearest: forms:http__server__request")
                    .hasMessageContaining("run 'list -p " + program.pid() + "'");
            assertThatThrownBy(() -> open(program, "usdt:forms:both (a=arg2)"))
                    .isInstanceOf(ProbeArgumentException.class)
                    .hasMessageContaining("forms:both has no arg2; it has -4@%edi");
            assertThatThrownBy(() -> open(program, "usdt:/bin/true:forms:both"))
                    .isInstanceOf(ResolveException.class)
                    .hasMessageContaining("run 'list -l /bin/true' to see all that it has")
                    .hasMessageContaining("no USDT probes at all");
        }
    }

    private static void open(CProgram.Running program, String spec) throws Exception {
        Collector.open(SmallRecording.request(TargetSelection.ofPids(List.of(program.pid())), spec))
                .close();
    }

    private static Recorded.Kept hit(CProgram fixture, String name, long value) throws Exception {
        try (CProgram.Running program = fixture.start()) {
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            program.pid(),
                            () -> program.ask(name + " " + Long.toHexString(value)),
                            "usdt:forms:" + name)
                    .recorded();
            assertThat(recorded.events).hasSize(1);
            assertThat(recorded.lost()).isZero();
            return recorded.events.get(0);
        }
    }
}
