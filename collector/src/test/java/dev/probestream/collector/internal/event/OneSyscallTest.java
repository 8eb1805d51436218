package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code syscall:NAME}, one system call as a span, and {@code sys_exit:NAME}, its return. */
@KernelTest(since = "5.8")
class OneSyscallTest {
    @TempDir
    static Path folder;

    private static CProgram spans;

    @BeforeAll
    static void compile() throws Exception {
        spans = CProgram.compile(folder, "probe/spans");
    }

    @Test
    void callHasItsArgumentsWhatTheyPointToAndItsResult() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int opens = capture.add("syscall:openat(dir=arg1:s32, path=arg2:str, flags=arg3:u32, ret:s32)");
            int renames = capture.add("syscall:renameat(from=arg2:str[8], to=arg4:str, ret)");
            capture.start();
            process.ask("calls");
            process.ask("calls");
            capture.stop();

            assertThat(capture.eventsOf(opens))
                    .extracting(Event::getKind, Event::getNumbers, Event::getStrings, Event::getReturnValue)
                    .containsExactly(
                            tuple(EventKind.SPAN, List.of(-100L, 0L), List.of("/no/such/file"), -2L),
                            tuple(EventKind.SPAN, List.of(-100L, 524289L), List.of("/dev/null"), 5L),
                            tuple(EventKind.SPAN, List.of(-100L, 0L), List.of("/no/such/file"), -2L),
                            tuple(EventKind.SPAN, List.of(-100L, 524289L), List.of("/dev/null"), 5L));
            assertThat(capture.eventsOf(renames))
                    .hasSize(2)
                    .allSatisfy(event -> assertThat(event.getReturnValue()).isEqualTo(-2L));
            assertThat(capture.events)
                    .allMatch(event -> event.getDurationNs() > 0
                            && event.getUnavailable() == 0
                            && event.getTid() == process.pid());
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void filterIsDecidedAtTheEntryAndAtTheReturn() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int failed = capture.add("syscall:close(fd=arg1:s32, ret) /ret < 0 && fd < 0/");
            int named = capture.add("syscall:openat(path=arg2:str) /path == \"/dev/null\" && duration > 0/");
            int short5 = capture.add("syscall:write(text=arg2:str[arg3,64], count=arg3) /count == 1/");
            capture.start();
            process.ask("calls");
            capture.stop();

            assertThat(capture.eventsOf(failed))
                    .extracting(Event::getReturnValue)
                    .containsExactly(-9L);
            assertThat(capture.eventsOf(named)).extracting(Event::getStrings).containsExactly(List.of("/dev/null"));
            assertThat(capture.eventsOf(short5))
                    .filteredOn(event -> event.getStrings().equals(List.of("x")))
                    .hasSize(1);
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void returnHasTheArgumentsOfTheCallAndItsResult() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int opens = capture.add("sys_exit:openat(dir=arg1:s32, path=arg2:str, flags=arg3:u32, ret:s32)");
            int closes = capture.add("sys_exit:close(fd=arg1:s32, ret) /ret < 0 && fd < 0/");
            int writes = capture.add("sys_exit:write(text=arg2:str[ret,64], count=arg3) /count == 1/");
            capture.start();
            process.ask("calls");
            capture.stop();

            assertThat(capture.eventsOf(opens))
                    .extracting(Event::getKind, Event::getNumbers, Event::getStrings, Event::getReturnValue)
                    .containsExactly(
                            tuple(EventKind.INSTANT, List.of(-100L, 0L), List.of("/no/such/file"), -2L),
                            tuple(EventKind.INSTANT, List.of(-100L, 524289L), List.of("/dev/null"), 5L));
            assertThat(capture.eventsOf(closes))
                    .extracting(Event::getReturnValue)
                    .containsExactly(-9L);
            assertThat(capture.eventsOf(writes))
                    .filteredOn(event -> event.getStrings().equals(List.of("x")))
                    .hasSize(1);
            assertThat(capture.events)
                    .allMatch(event -> event.getUnavailable() == 0 && event.getTid() == process.pid());
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void callInWhichAThreadWaitsIsAnOpenSpan() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int reads = capture.add("syscall:read(fd=arg1:s32, ret)");
            capture.start();
            int tid = Integer.parseInt(process.ask("block"));
            process.awaitRead(tid);
            capture.stop();
            process.ask("unblock");

            assertThat(capture.eventsOf(reads))
                    .filteredOn(event -> event.getKind() == EventKind.OPEN_SPAN && event.getTid() == tid)
                    .extracting(Event::getNumbers)
                    .containsExactly(List.of(3L));
        }
    }
}
