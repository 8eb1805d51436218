package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a C program passes and returns is what the events say. */
@KernelTest(since = "6.6")
class RecordedArgumentsTest {
    private static final int PAGE_BYTES = 4096;

    @TempDir
    static Path folder;

    private static CProgram spans;

    @BeforeAll
    static void compile() throws Exception {
        spans = CProgram.compile(folder, "probe/spans");
    }

    private static int add(TestCapture capture, String kind, String function, String rest) throws Exception {
        return capture.add(kind + ":" + function + rest, spans, function);
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void numbersOfEveryTypeKeepTheirSignAndSize(String kind) throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int signed = add(capture, kind, "signed_types", "(a=arg1:s8, b=arg2:s16, c=arg3:s32, d=arg4:s64)");
            int unsigned = add(capture, kind, "unsigned_types", "(a=arg1:u8, b=arg2:u16, c=arg3:u32, d=arg4:u64)");
            int words = add(
                    capture,
                    kind,
                    "words",
                    "(p=arg1:ptr, flag=arg2:bool, c=arg3-1:s64, d=arg4:u8, e=arg5:s64, f=arg6+0x10:u32)");
            int members = add(
                    capture,
                    kind,
                    "members",
                    "(x=*arg1:s32, same=*arg1:u32, small=*arg1:s8@+4, name=*arg1:str@+8, raw=*arg1:char[1]@+4)");
            capture.start();
            process.ask("types");
            capture.stop();

            assertThat(numbers(capture, signed)).containsExactly(-1L, -300L, -70000L, -5000000000L);
            assertThat(numbers(capture, unsigned)).containsExactly(255L, 65535L, 4294967295L, -1L);
            List<Long> wordsSeen = numbers(capture, words);
            assertThat(wordsSeen.get(0)).isNotZero();
            assertThat(wordsSeen.subList(1, 6)).containsExactly(1L, 2L, 4L, 5L, 22L);
            assertThat(numbers(capture, members)).containsExactly(-7L, 4294967289L, -3L);
            assertThat(strings(capture, members).get(0)).isEqualTo("origin");
            assertThat(strings(capture, members).get(1)).hasSize(1); // 0xfd alone is no UTF-8
            assertThat(capture.events).allMatch(event -> event.getUnavailable() == 0);
        }
    }

    @Test
    void returnedValuesKeepTheirSignAndSize() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int asByte = add(capture, "span", "words", "(ret:s8)");
            int instant = add(capture, "uretprobe", "words", "(ret:s8)");
            int asInt = add(capture, "uretprobe", "signed_types", "(ret:s32)");
            int asUnsigned = add(capture, "uretprobe", "unsigned_types", "(ret:u32)");
            int counter = add(capture, "uretprobe", "words", "(value=ret:u8)[counter]");
            capture.start();
            process.ask("types");
            capture.stop();

            assertThat(only(capture, asByte).getReturnValue()).isEqualTo(-1);
            assertThat(only(capture, instant).getReturnValue()).isEqualTo(-1);
            assertThat(only(capture, instant).getKind()).isEqualTo(EventKind.INSTANT);
            assertThat(only(capture, asInt).getReturnValue()).isEqualTo(-705103005);
            assertThat(only(capture, asUnsigned).getReturnValue())
                    .isEqualTo((255 + 65535 + 4294967295L - 1) & 0xffffffffL);
            assertThat(only(capture, counter).getKind()).isEqualTo(EventKind.COUNTER);
            assertThat(numbers(capture, counter)).containsExactly(255L);
        }
    }

    @Test
    void whatAFunctionWritesIsReadAtItsReturn() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int fill = add(
                    capture,
                    "span",
                    "fill",
                    "(before=*arg1:s64@+16, result=*arg1:s64@+16 at return, was=*arg1:str@+8,"
                            + " name=*arg1:str@+8 at return, n=arg2:s64, same=arg2:s64 at return, ret:s64)");
            capture.start();
            process.ask("point");
            capture.stop();

            assertThat(numbers(capture, fill)).containsExactly(3L, 55L, 5L, 5L);
            assertThat(strings(capture, fill)).containsExactly("start", "done");
            assertThat(only(capture, fill).getReturnValue()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void textsAreReadUpToTheirRoom(String kind) throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int say = add(capture, kind, "say", "(text=arg1:str[8])");
            capture.start();
            for (String text : List.of("a", "12345678", "123456789", "1234567ü", "äöüß", "äöüßx")) {
                process.ask("say " + text);
            }
            capture.stop();

            assertThat(capture.eventsOf(say))
                    .extracting(event -> event.getStrings().get(0))
                    .containsExactly("a", "12345678", "12345678…", "1234567…", "äöüß", "äöüß…");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void whatCannotBeReadIsMarked(String kind) throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int say = add(
                    capture, kind, "say", "(text=arg1:str, bytes=arg1:char[4], number=*arg1:s32, more=*arg1:s8@+1)");
            capture.start();
            process.ask("nothing");
            process.ask("wild");
            process.ask("edge");
            capture.stop();

            List<Event> events = capture.eventsOf(say);
            assertThat(events).extracting(Event::getUnavailable).containsExactly(15L, 0L, 15L, 0L);
            assertThat(events)
                    .extracting(event -> event.getStrings().toString())
                    .containsExactly("[, ]", "[, ]", "[, ]", "[edge, edge]");
            assertThat(events.get(0).getNumbers()).containsExactly(0L, 0L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void textsOnPagesThatAreNotResidentAreFetched(String kind) throws Exception {
        Path file = folder.resolve("pages-" + kind);
        byte[] bytes = new byte[4 * PAGE_BYTES];
        put(bytes, PAGE_BYTES, "second page");
        put(bytes, 3 * PAGE_BYTES - 4, "across pages");
        Files.write(file, bytes);
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int say = add(capture, kind, "say", "(text=arg1:str, number=*arg1:u8, word=arg1:char[4])");
            capture.start();
            process.ask("mapped " + file + " " + PAGE_BYTES);
            process.ask("mapped " + file + " " + (3 * PAGE_BYTES - 4));
            capture.stop();

            assertThat(capture.eventsOf(say))
                    .extracting(event -> event.getStrings().toString(), Event::getUnavailable)
                    .containsExactly(tuple("[second page, seco]", 0L), tuple("[across pages, acro]", 0L));
        }
    }

    @Test
    void withoutSleepingSuchTextsAreMarkedAsUnavailable() throws Exception {
        Path file = folder.resolve("pages");
        byte[] bytes = new byte[2 * PAGE_BYTES];
        put(bytes, PAGE_BYTES, "second page");
        Files.write(file, bytes);
        try (CProgram.Running process = spans.start();
                TestCapture capture = new TestCapture(
                        TestCapture.options(TargetFilter.process(process.pid()))
                                .withUprobes(UprobeAttachMethod.MULTI.attachType(), false, true),
                        UprobeAttachMethod.MULTI)) {
            int say = add(capture, "span", "say", "(text=arg1:str, ret:s64)");
            capture.start();
            process.ask("mapped " + file + " " + PAGE_BYTES);
            process.ask("say resident");
            capture.stop();

            assertThat(capture.eventsOf(say)).extracting(Event::getUnavailable).containsExactly(1L, 0L);
            assertThat(capture.eventsOf(say))
                    .extracting(event -> event.getStrings().get(0))
                    .containsExactly("", "resident");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "uprobe, arg1:s32 > 6, 7 8 9",
        "span, arg1:s32 >= 7, 7 8 9",
        "span, arg1:s32 < 2, 0 1",
        "span, arg1:s32 <= 2, 0 1 2",
        "span, arg1:u8 == 3, 3",
        "uprobe, arg1:u8 != 3, 0 1 2 4 5 6 7 8 9",
        "span, arg1:s32 > -1, 0 1 2 3 4 5 6 7 8 9",
        "span, arg1:u64 > -1, ''",
    })
    void onlyHitsThatPassTheFilterAreRecorded(String kind, String filter, String expected) throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int twice = add(capture, kind, "twice", "(n=arg1:s64) /" + filter + "/");
            capture.start();
            process.ask("twice 10");
            capture.stop();

            assertThat(capture.eventsOf(twice).stream()
                            .map(event -> event.getNumbers().get(0).toString())
                            .collect(Collectors.joining(" ")))
                    .isEqualTo(expected);
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void stacksAreThoseOfTheCall() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int inner = add(capture, "uprobe", "inner", " [ustack]");
            int outer = add(capture, "span", "outer", " [stack]");
            capture.start();
            process.ask("nest 1");
            capture.stop();

            assertThat(capture.eventsOf(inner)).extracting(Event::getStackId).containsExactly(1L, 2L);
            assertThat(only(capture, outer).getStackId()).isEqualTo(3L);
            assertThat(capture.stacks).allMatch(stack -> !stack.isEmpty());
            // The leaf of a user stack at a function's entry is the function.
            long leafOffset = capture.stacks.get(0).get(0) & (PAGE_BYTES - 1);
            assertThat(leafOffset).isEqualTo(spans.functionOffset("inner") & (PAGE_BYTES - 1));
        }
    }

    @Test
    void thirtyProbesOfOneProgramAreToldApart() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int[] ids = new int[30];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = add(capture, "span", i % 2 == 0 ? "twice" : "inner", "(n=arg1:s64, ret:s64)");
            }
            capture.start();
            process.ask("twice 3");
            capture.stop();

            for (int i = 0; i < ids.length; i++) {
                assertThat(capture.eventsOf(ids[i])).hasSize(i % 2 == 0 ? 3 : 0);
            }
            assertThat(capture.losses).isEmpty();
        }
    }

    private static void put(byte[] bytes, int offset, String text) {
        for (int i = 0; i < text.length(); i++) {
            bytes[offset + i] = (byte) text.charAt(i);
        }
    }

    private static Event only(TestCapture capture, int probeId) {
        assertThat(capture.eventsOf(probeId)).hasSize(1);
        return capture.eventsOf(probeId).get(0);
    }

    private static List<Long> numbers(TestCapture capture, int probeId) {
        return only(capture, probeId).getNumbers();
    }

    private static List<String> strings(TestCapture capture, int probeId) {
        return only(capture, probeId).getStrings();
    }
}
