package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.watch.RunStatistics;
import dev.probestream.collector.internal.process.CgroupFolder;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** System calls, the scheduler, tracepoints and the life of processes, as a C program causes them. */
@KernelTest(since = "6.6")
class KernelProbesTest {
    @TempDir
    static Path folder;

    private static CProgram spans;

    @BeforeAll
    static void compile() throws Exception {
        spans = CProgram.compile(folder, "probe/spans");
    }

    @Test
    void systemCallsAreSpansWithTheirArgumentsAndResults() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            capture.add("syscalls:all");
            capture.start();
            process.ask("calls");
            capture.stop();

            List<String> calls = new ArrayList<>();
            for (Event event : capture.events) {
                calls.add(describe(capture, event));
            }
            // Around them the program reads its request and writes its answer.
            assertThat(calls)
                    .containsSubsequence(
                            "openat(dfd=-100, filename=/no/such/file, flags=0, mode=0) = -2",
                            "openat(dfd=-100, filename=/dev/null, flags=524289, mode=0) = 5",
                            "getpid() = " + process.pid(),
                            "getpid() = " + process.pid(),
                            "getpid() = " + process.pid(),
                            "renameat(olddfd=-100, oldname=/no/such/file, newdfd=-100, newname=/no/such/other) = -2",
                            "close(fd=5) = 0",
                            "close(fd=-1) = -9");
            assertThat(calls).anyMatch(call -> call.startsWith("write(fd=5, ") && call.endsWith("count=1) = 1"));
            assertThat(capture.eventsOf(capture.probeNamed("getpid").getProbeId()))
                    .hasSize(3);
            assertThat(capture.events)
                    .filteredOn(event -> event.getKind() == EventKind.SPAN)
                    .allMatch(event -> event.getDurationNs() > 0 && event.getUnavailable() == 0);
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void theCallAThreadWaitsInIsAnOpenSpan() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            capture.add("syscalls:all");
            capture.start();
            int tid = Integer.parseInt(process.ask("block"));
            process.awaitRead(tid);
            capture.stop();
            process.ask("unblock");

            assertThat(capture.events)
                    .filteredOn(event -> event.getKind() == EventKind.OPEN_SPAN && event.getTid() == tid)
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(describe(capture, event)).startsWith("read(fd=3, ");
                        assertThat(event.getUnavailable()).isEqualTo(Long.MIN_VALUE);
                    });
        }
    }

    @Test
    void exitIsASpanWithoutAResult() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            capture.add("syscalls:all");
            capture.start();
            int tid = Integer.parseInt(process.ask("leave"));
            assertThat(process.finish()).isZero();
            capture.stop();

            assertThat(capture.eventsOf(capture.probeNamed("exit").getProbeId()))
                    .extracting(Event::getTid, Event::getKind, Event::getUnavailable)
                    .containsExactly(tuple(tid, EventKind.SPAN, Long.MIN_VALUE));
            assertThat(capture.eventsOf(capture.probeNamed("exit_group").getProbeId()))
                    .extracting(Event::getKind)
                    .containsExactly(EventKind.SPAN);
            assertThat(capture.events).noneMatch(event -> event.getKind() == EventKind.OPEN_SPAN);
        }
    }

    @Test
    void processesAndThreadsAreToldOf() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            capture.start();
            int pid = process.pid();
            int tid = Integer.parseInt(process.ask("rename worker-7"));
            int child = Integer.parseInt(process.ask("fork"));
            assertThat(process.finish()).isZero();
            capture.stop();

            assertThat(capture.lifecycle)
                    .containsExactly(
                            "forked " + pid + " " + pid + " -> " + pid + " " + tid + " spans",
                            "renamed " + pid + " " + tid + " worker-7",
                            "exited " + pid + " " + tid,
                            "forked " + pid + " " + pid + " -> " + child + " " + child + " spans",
                            "exited " + pid + " " + pid + " process 0");
        }
    }

    @Test
    void childrenAreFollowedFromTheirFirstInstruction() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = following(new FollowRule(true, ""))) {
            int twice = capture.add("span:twice(n=arg1:s64)", spans.executable(), spans.functionOffset("twice"));
            capture.start();
            capture.putInt(MapNames.TARGETS, process.pid(), 1);
            int child = Integer.parseInt(process.ask("fork"));
            int spawned = Integer.parseInt(process.ask("spawn /bin/true"));
            capture.stop();

            int pid = process.pid();
            assertThat(capture.eventsOf(twice)).extracting(Event::getPid).containsExactly(child);
            assertThat(capture.lifecycle)
                    .containsExactly(
                            "forked " + pid + " " + pid + " -> " + child + " " + child + " spans",
                            "exited " + child + " " + child + " process " + (3 << 8),
                            "forked " + pid + " " + pid + " -> " + spawned + " " + spawned + " spans",
                            "renamed " + spawned + " " + spawned + " true",
                            "executed " + spawned + " true",
                            "exited " + spawned + " " + spawned + " process 0");
        }
    }

    @Test
    void otherChildrenAreOnlyNamed() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = following(FollowRule.NONE)) {
            int twice = capture.add("span:twice(n=arg1:s64)", spans.executable(), spans.functionOffset("twice"));
            capture.start();
            capture.putInt(MapNames.TARGETS, process.pid(), 1);
            int child = Integer.parseInt(process.ask("fork"));
            process.ask("twice 2");
            capture.stop();

            int pid = process.pid();
            assertThat(capture.eventsOf(twice)).extracting(Event::getPid).containsOnly(pid);
            assertThat(capture.lifecycle)
                    .containsExactly("forked " + pid + " " + pid + " -> " + child + " " + child + " spans");
        }
    }

    @Test
    void processesJoinAndLeaveByTheirName() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = following(new FollowRule(false, "true"))) {
            capture.add("syscalls:all");
            capture.start();
            process.ask("spawn /bin/false");
            int spawned = Integer.parseInt(process.ask("spawn /bin/true"));
            capture.stop();

            assertThat(capture.events).extracting(Event::getPid).containsOnly(spawned);
            assertThat(capture.lifecycle)
                    .contains("executed " + spawned + " true")
                    .noneMatch(line -> line.contains("false"));
        }
        try (CProgram.Running process = spans.start();
                TestCapture capture = following(new FollowRule(false, "spans"))) {
            capture.add("syscalls:all");
            capture.start();
            capture.putInt(MapNames.TARGETS, process.pid(), 1);
            int spawned = Integer.parseInt(process.ask("spawn /bin/true"));
            capture.stop();

            // The child runs under our name until it executes something else; that call is its last, and a success
            // leaves no path to be read.
            List<Event> ofChild = capture.events.stream()
                    .filter(event -> event.getPid() == spawned)
                    .toList();
            Event last = ofChild.get(ofChild.size() - 1);
            assertThat(last.getProbeId()).isEqualTo(capture.probeNamed("execve").getProbeId());
            assertThat(last.getStrings()).containsExactly("");
            assertThat(last.getUnavailable()).isEqualTo(1);
            assertThat(capture.lifecycle)
                    .contains("executed " + spawned + " true")
                    .noneMatch(line -> line.contains("exited"));
        }
    }

    @Test
    void processesOfACgroupAreRecordedAndNoOthers() throws Exception {
        Path root = Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[2].equals("cgroup2"))
                .map(fields -> Path.of(fields[1]))
                .findFirst()
                .orElseThrow();
        Path outer = Files.createDirectory(
                root.resolve("probestream-test-" + ProcessHandle.current().pid()));
        Path inner = Files.createDirectory(outer.resolve("inner"));
        try (CProgram.Running inside = spans.start();
                CProgram.Running outside = spans.start()) {
            Files.writeString(inner.resolve("cgroup.procs"), Integer.toString(inside.pid()));
            CgroupFolder cgroup = CgroupFolder.of(outer);
            try (TestCapture capture = new TestCapture(
                    TestCapture.options(TargetFilter.cgroup(cgroup.id(), cgroup.level())), UprobeAttachMethod.MULTI)) {
                int twice = capture.add("span:twice(n=arg1:s64)", spans.executable(), spans.functionOffset("twice"));
                capture.start();
                inside.ask("twice 3");
                outside.ask("twice 3");
                int child = Integer.parseInt(inside.ask("fork"));
                capture.stop();

                assertThat(capture.eventsOf(twice))
                        .extracting(Event::getPid)
                        .containsExactly(inside.pid(), inside.pid(), inside.pid(), child);
                assertThat(capture.lifecycle).contains("exited " + child + " " + child + " process " + (3 << 8));
            }
        } finally {
            Files.deleteIfExists(inner);
            Files.deleteIfExists(outer);
        }
    }

    private static TestCapture following(FollowRule rule) throws Exception {
        return new TestCapture(
                TestCapture.options(TargetFilter.LISTED_PROCESSES).withFollow(rule), UprobeAttachMethod.MULTI);
    }

    @Test
    void aThreadThatWaitsLeavesTheCpuAndIsWoken() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int switches = capture.add("sched:all");
            int wakings = switches + 1;
            capture.start();
            int tid = Integer.parseInt(process.ask("block"));
            process.awaitRead(tid);
            process.ask("unblock");
            // It is joined before it has left the cpu for the last time.
            long deadlineNs = System.nanoTime() + 60_000_000_000L;
            while (lastState(capture, switches, tid) < TaskStateBits.EXIT_DEAD) {
                assertThat(System.nanoTime()).as("the thread has ended").isLessThan(deadlineNs);
                capture.drain();
            }
            capture.stop();

            List<Event> leaving = capture.eventsOf(switches).stream()
                    .filter(event -> event.getTid() == tid && event.getNumbers().get(3) == 1)
                    .toList();
            assertThat(leaving).hasSizeGreaterThanOrEqualTo(1).allSatisfy(event -> {
                assertThat(event.getKind()).isEqualTo(EventKind.SWITCH);
                assertThat(event.getPid()).isEqualTo(process.pid());
                assertThat(event.getNumbers())
                        .startsWith((long) tid, (long) process.pid(), 120L)
                        .hasSize(7);
                assertThat(event.getStrings().get(0)).isEqualTo("spans");
            });
            assertThat(capture.eventsOf(switches))
                    .anyMatch(event -> event.getNumbers().get(4) == tid
                            && event.getNumbers().get(5) == process.pid()
                            && event.getStrings().get(1).equals("spans"));
            assertThat(capture.eventsOf(wakings))
                    .anyMatch(event -> event.getKind() == EventKind.WAKING
                            && event.getTid() == process.pid()
                            && event.getNumbers().get(0) == tid
                            && event.getNumbers().get(2) == 120
                            && event.getNumbers().get(3) >= 0
                            && event.getStrings().get(0).equals("spans"));
        }
    }

    @Test
    void everySampleOfTheCpuIsDeliveredOrCounted() throws Exception {
        // Room for few samples, and nothing is read before the end.
        ProgramOptions options = TestCapture.options(TargetFilter.EVERY_PROCESS)
                .withSizes(PageSize.bytes(), ProgramOptions.DEFAULT_MAX_OPEN_SPANS);
        try (RunStatistics counted = RunStatistics.open();
                CProgram.Running process = spans.start();
                TestCapture capture = new TestCapture(options, UprobeAttachMethod.MULTI)) {
            int samples = capture.add("profile:997");
            capture.startInOpenWindow();
            while (capture.runs(samples) < 20) {
                process.ask("calls");
            }
            capture.stop();

            // Tasks of the machine that began first may have taken the room.
            assertThat(capture.eventsOf(samples).size() + capture.lifecycle.size())
                    .isPositive();
            assertThat(capture.lost(samples, LossReason.RING_FULL)).isPositive();
            assertThat(capture.eventsOf(samples).size() + capture.lost(samples)).isEqualTo(capture.runs(samples));
            assertThat(counted).isNotNull();
        }
    }

    /** The state in which a thread last left the cpu; -1 before it did. */
    private static long lastState(TestCapture capture, int probeId, int tid) {
        return capture.eventsOf(probeId).stream()
                .filter(event -> event.getTid() == tid)
                .reduce((first, second) -> second)
                .map(event -> event.getNumbers().get(3))
                .filter(state -> state < TaskStateBits.REPORT_IDLE)
                .orElse(-1L);
    }

    @Test
    void tracepointsHaveTheFieldsOfTheirFormat() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int chosen = capture.add("tracepoint:syscalls:sys_enter_openat(filename:str, flags)");
            int all = capture.add("tracepoint:syscalls:sys_enter_close");
            int exec = capture.add("tracepoint:sched:sched_wakeup_new");
            capture.start();
            process.ask("calls");
            process.ask("fork");
            capture.stop();

            assertThat(capture.eventsOf(chosen))
                    .extracting(event -> event.getStrings().get(0), Event::getNumbers, Event::getKind)
                    .containsExactly(
                            tuple("/no/such/file", List.of(0L), EventKind.INSTANT),
                            tuple("/dev/null", List.of(524289L), EventKind.INSTANT));
            assertThat(capture.eventsOf(all))
                    .extracting(event -> event.getNumbers().get(1))
                    .containsExactly(5L, 4294967295L);
            assertThat(capture.eventsOf(exec))
                    .extracting(event -> event.getStrings().get(0))
                    .containsExactly("spans");
        }
    }

    @Test
    void rawTracepointsGiveTheirArgumentsAndWhatTheyPointTo() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int raw = capture.add("rawtracepoint:sys_enter(nr=arg2:s64, first=*arg1:s32@+112, same=*arg1:u64@+112)");
            capture.start();
            process.ask("calls");
            capture.stop();

            assertThat(capture.eventsOf(raw))
                    .extracting(
                            event -> event.getNumbers().get(0),
                            event -> event.getNumbers().get(1))
                    .contains(tuple(257L, -100L), tuple(3L, 5L), tuple(3L, -1L));
            assertThat(capture.events).allMatch(event -> event.getPid() == process.pid());
        }
    }

    private static String describe(TestCapture capture, Event event) {
        Probe probe = capture.probes.stream()
                .filter(candidate -> candidate.getProbeId() == event.getProbeId())
                .findFirst()
                .orElseThrow();
        List<String> arguments = new ArrayList<>();
        int numbers = 0;
        int strings = 0;
        for (Argument argument : probe.getArguments()) {
            boolean isText = argument.getType().equals("str");
            Object value = isText
                    ? event.getStrings().get(strings++)
                    : event.getNumbers().get(numbers++);
            arguments.add(argument.getName() + "=" + value);
        }
        return probe.getName() + "(" + String.join(", ", arguments) + ") = " + event.getReturnValue();
    }
}
