package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exactly the hits that pass a filter are recorded, by uprobes, at the entry and at the return. */
@KernelTest(since = "6.6")
class FilteredHitsTest {
    @TempDir
    static Path folder;

    private static CProgram program;

    @BeforeAll
    static void compile() throws Exception {
        program = CProgram.compile(folder, "program/filtered");
    }

    /** Filters and the indexes of the calls that pass. */
    private static final class Expectations {
        private final Map<String, String> byFilter = new LinkedHashMap<>();

        Expectations pass(String filter, String indexes) {
            byFilter.put(filter, indexes);
            return this;
        }

        void hold(String kind, List<String> calls) throws Exception {
            try (CProgram.Running process = program.start();
                    TestCapture capture = TestCapture.of(process.pid())) {
                Map<String, Integer> ids = new LinkedHashMap<>();
                for (String filter : byFilter.keySet()) {
                    String own = filter.replace("$PID", Integer.toString(process.pid()));
                    ids.put(filter, capture.add(kind + ":target(index=arg6) /" + own + "/", program, "target"));
                }
                capture.start();
                for (String call : calls) {
                    process.ask(call);
                }
                capture.stop();
                Map<String, String> recorded = new LinkedHashMap<>();
                ids.forEach((filter, id) -> recorded.put(filter, indexes(capture.eventsOf(id))));
                assertThat(recorded).isEqualTo(byFilter);
                assertThat(capture.losses).isEmpty();
            }
        }
    }

    private static String indexes(List<Event> events) {
        return events.stream()
                .map(event -> event.getNumbers().get(0).toString())
                .collect(Collectors.joining(" "));
    }

    private static List<String> callsWithFirst(long... values) {
        List<String> calls = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            calls.add("call " + values[i] + " 0 " + values[i] + " 0 " + i + " null");
        }
        return calls;
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void numbersOfEverySizeAndSignCompareAsTheirTypeSays(String kind) throws Exception {
        new Expectations()
                .pass("arg1 == -1", "2")
                .pass("arg1 != -1", "0 1 3 4 5 6 7 8 9")
                .pass("arg1 < 0", "2 4 9")
                .pass("arg1 <= -2147483648", "4 9")
                .pass("arg1 > 0x7fffffff", "5 6 7 8")
                .pass("arg1 >= 4294967296", "7 8")
                .pass("0 > arg1", "2 4 9")
                .pass("arg1:s8 == -1", "2 3 6 8")
                .pass("arg1:u8 == 255", "2 3 6 8")
                .pass("arg1:s8 < 0", "2 3 6 8")
                .pass("arg1:u16 > 254", "2 3 6 8")
                .pass("arg1:s32 < 0", "2 4 5 6 8")
                .pass("arg1:s32 == 0xffffffff", "2 6 8")
                .pass("arg1:u32 == -1", "2 6 8")
                .pass("arg1:u32 >= 0x80000000", "2 4 5 6 8")
                .pass("arg1:u64 == -1", "2")
                .pass("arg1:u64 > 0x7fffffffffffffff", "2 4 9")
                .pass("arg1:u64 >= 18446744073709551615", "2")
                .pass("arg1 > 0xffffffff7fffffff", "2 4")
                .pass("arg1:ptr <= 1", "0 1")
                .pass("arg1:bool == 1", "1")
                .pass("arg1 == 9223372036854775807", "8")
                .pass("arg1 == -9223372036854775808", "9")
                .pass("arg1-1 == 0", "1")
                .pass("arg1 & 0x80", "2 3 6 8")
                .pass("(arg1 & 0xf0) == 0xf0 && arg1 > 0", "3 6 8")
                .pass("(arg1 & 0x8000000000000000) != 0", "2 4 9")
                .pass("arg1 == arg3 && !(arg1:s32 == arg3:u32)", "2 4 5 6 8")
                .pass("arg1 < arg2 || arg1 == '\u0001'", "1 2 4 9")
                .hold(
                        kind,
                        callsWithFirst(
                                0,
                                1,
                                -1,
                                255,
                                -2147483648L,
                                2147483648L,
                                4294967295L,
                                4294967296L,
                                Long.MAX_VALUE,
                                Long.MIN_VALUE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"uprobe", "span"})
    void textsCompareWholeOrByTheirBeginning(String kind) throws Exception {
        String longText = "0123456789abcdef".repeat(8);
        List<String> calls = List.of(
                "call 0 0 0 0 0 :",
                "call 0 0 0 1 1 :a",
                "call 0 0 0 4 2 :abcd",
                "call 0 0 0 5 3 :abcde",
                "call 0 0 0 3 4 null",
                "call 0 0 0 3 5 wild",
                "call 0 0 0 128 6 :" + longText,
                "call 0 0 0 128 7 :" + longText + "x",
                "call 0 0 0 -1 8 :abcd",
                "call 0 0 0 6 9 :/a\"b\\\u00e4");
        new Expectations()
                .pass("arg4 == \"\"", "0")
                .pass("arg4 != \"\"", "1 2 3 6 7 8 9")
                .pass("arg4:str == \"abcd\"", "2 8")
                .pass("arg4:str[1] != \"abcd\"", "0 1 3 6 7 9")
                .pass("!(arg4 == \"abcd\")", "0 1 3 6 7 9")
                .pass("!!(arg4 == \"abcd\")", "2 8")
                .pass("arg4 ^= \"abcd\"", "2 3 8")
                .pass("!(arg4 ^= \"abcd\")", "0 1 6 7 9")
                .pass("arg4 ^= \"\"", "0 1 2 3 6 7 8 9")
                .pass("arg4 == \"" + longText + "\"", "6")
                .pass("arg4 ^= \"" + longText + "\"", "6 7")
                .pass("arg4 == \"/a\\\"b\\\\\u00e4\"", "9")
                .pass("arg4:str[arg5] == \"abcd\"", "2")
                .pass("arg4:str[arg5] == \"\"", "0")
                .pass("arg4:str[arg5] != \"abcd\"", "0 1 3 4 5 6 7 9")
                .pass("arg4:str[arg5,2] ^= \"ab\"", "2 3")
                .pass("arg4:str[arg5] == \"" + longText + "\"", "6 7")
                .pass("arg4:gostr == \"abcd\"", "2")
                .pass("arg4:char[4] == \"abcd\"", "2 3 8")
                .pass("arg4:char[8] == \"abcd\"", "2 8")
                .pass("arg4:char[3] == \"abcd\"", "")
                .pass("arg4:char[2] ^= \"ab\"", "2 3 8")
                .pass("arg4 == \"nothing\" || arg5 == 3", "4 5")
                .hold(kind, calls);
    }

    @Test
    void whoHitsCanBeAskedFor() throws Exception {
        List<String> calls = List.of(
                "call 0 0 0 0 0 null",
                "rename abcdefghijklmno",
                "call 0 0 0 0 1 null",
                "rename x",
                "call 0 0 0 0 2 null");
        new Expectations()
                .pass("pid == $PID && tid == $PID", "0 1 2")
                .pass("pid != $PID || tid == 1", "")
                .pass("uid == 0", "0 1 2")
                .pass("cpu >= 0 && cpu < 4096", "0 1 2")
                .pass("cpu > 4096", "")
                .pass("comm == \"filtered\"", "0")
                .pass("comm != \"filtered\"", "1 2")
                .pass("comm == \"abcdefghijklmno\"", "1")
                .pass("comm ^= \"abc\"", "1")
                .pass("comm == \"x\" || (comm == \"filtered\" && !(pid == 1))", "0 2")
                .hold("uprobe", calls);
    }

    @Test
    void returnedValueAndDurationAreAskedForAtTheReturn() throws Exception {
        List<String> calls = callsWithFirst(5, -5, 0);
        new Expectations()
                .pass("ret < 0", "1")
                .pass("ret:u8 == 251", "1")
                .pass("ret != 0 && arg1 > 0", "0")
                .pass("ret == 0 || arg1 == 5", "0 2")
                .pass("!(ret == 0 || arg1 == 5)", "1")
                .pass("ret == arg3 && ret == arg1", "0 1 2")
                .pass("ret > 0 || pid == 1 || comm == \"nobody\" || cpu == 5000", "0")
                .pass("duration > 0 && duration < 10000000000", "0 1 2")
                .pass("duration > 10000000000", "")
                .hold("span", calls);
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int negative = capture.add("uretprobe:target(r=ret:s32) /r < 0/", program, "target");
            int slow = capture.add("span:sleepy(ms=arg1) /duration >= 20000000/", program, "sleepy");
            capture.start();
            process.ask("call 0 0 7 0 0 null");
            process.ask("call 0 0 -7 0 0 null");
            process.ask("sleep 0");
            process.ask("sleep 25");
            capture.stop();

            assertThat(capture.eventsOf(negative))
                    .extracting(Event::getReturnValue)
                    .containsExactly(-7L);
            assertThat(indexes(capture.eventsOf(slow))).isEqualTo("25");
        }
    }

    @Test
    void aCallThatIsStillOpenPassesWhatOnlyItsReturnCanTell() throws Exception {
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int passed = capture.add("span:sleepy(ms=arg1) /ret < 0 && arg1 > 5/", program, "sleepy");
            int failed = capture.add("span:sleepy(ms=arg1) /ret < 0 && arg1 < 5/", program, "sleepy");
            int entered = capture.add("uprobe:sleepy", program, "sleepy");
            capture.start();
            process.send("sleep 60000");
            long startNs = System.nanoTime();
            while (capture.drain().eventsOf(entered).isEmpty()) {
                assertThat(System.nanoTime() - startNs).isLessThan(50_000_000_000L);
                Thread.onSpinWait();
            }
            capture.stop();

            assertThat(capture.eventsOf(passed)).extracting(Event::getKind).containsExactly(EventKind.OPEN_SPAN);
            assertThat(capture.eventsOf(failed)).isEmpty();
        }
    }

    @Test
    void countedTextAndChainsOfPointersAreRecorded() throws Exception {
        try (CProgram.Running process = program.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            String counted = "(t=arg4:str[arg5,4], g=arg4:gostr, late=arg4:str[arg5] at return)";
            int text = capture.add("span:target" + counted, program, "target");
            String chain = "(n=*arg1:s64@8@0, text=*arg1:str@+8@+16, go=*arg1:gostr[8]@8@16, same=*arg1:str[8]@8@16)";
            int chained = capture.add("uprobe:chained" + chain, program, "chained");
            int filtered = capture.add(
                    "uprobe:chained /*arg1:str@8@16 == \"linked\" && *arg1:s32@8@0 > 6/", program, "chained");
            int stack = capture.add(
                    "span:eight(g=arg7, h=arg8:s8, late=arg8:s64 at return) /arg7 == 77/", program, "eight");
            capture.start();
            for (String call : List.of("5 0 :abcdef", "0 0 null", "-1 0 :abc", "4 0 :\u00e4\u00e4\u00e4", "3 0 wild")) {
                process.ask("call 0 0 0 " + call);
            }
            process.ask("chain 7 linked");
            process.ask("chain 6 linked");
            process.ask("broken");
            process.ask("eight");
            capture.stop();

            assertThat(capture.eventsOf(text))
                    .extracting(Event::getStrings)
                    .containsExactly(
                            List.of("abcd\u2026", "abcde", "abcde"),
                            List.of("", "", ""),
                            List.of("", "", ""),
                            List.of("\u00e4\u00e4", "\u00e4\u00e4", "\u00e4\u00e4"),
                            List.of("", "", ""));
            assertThat(capture.eventsOf(text)).extracting(Event::getUnavailable).containsExactly(0L, 0L, 7L, 0L, 7L);
            assertThat(capture.eventsOf(chained))
                    .extracting(Event::getNumbers)
                    .containsExactly(List.of(7L), List.of(6L), List.of(0L));
            assertThat(capture.eventsOf(chained))
                    .extracting(Event::getStrings)
                    .containsExactly(
                            List.of("linked", "linked", "linked"),
                            List.of("linked", "linked", "linked"),
                            List.of("", "", ""));
            assertThat(capture.eventsOf(chained))
                    .extracting(Event::getUnavailable)
                    .containsExactly(0L, 0L, 15L);
            assertThat(capture.eventsOf(filtered)).hasSize(1);
            assertThat(capture.eventsOf(stack)).extracting(Event::getNumbers).containsExactly(List.of(77L, -88L, -88L));
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void fieldsOfTracepointsAreAskedForByTheirDeclaredTypes() throws Exception {
        try (CProgram.Running process = program.start();
                TestCapture capture = new TestCapture(
                        TestCapture.options(TargetFilter.process(process.pid())), UprobeAttachMethod.MULTI)) {
            int one = capture.add("tracepoint:task:task_rename /newcomm == \"second\" && oldcomm ^= \"fir\"/");
            int other = capture.add(
                    "tracepoint:task:task_rename(newcomm) /args.oom_score_adj < -2000 || newcomm == \"third\"/");
            int raw = capture.add("rawtracepoint:task_rename /arg2:str == \"second\"/");
            capture.start();
            for (String name : List.of("first", "second", "third")) {
                process.ask("rename " + name);
            }
            capture.stop();

            assertThat(capture.eventsOf(one)).hasSize(1);
            assertThat(capture.eventsOf(one).get(0).getStrings()).contains("first", "second");
            assertThat(capture.eventsOf(other)).extracting(Event::getStrings).containsExactly(List.of("third"));
            assertThat(capture.eventsOf(raw)).hasSize(1);
        }
    }
}
