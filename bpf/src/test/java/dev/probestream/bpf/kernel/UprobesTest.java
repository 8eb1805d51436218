package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.bpf.watch.RunStatistics;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Every method is forced on this one kernel, which has all three. */
@KernelTest(since = "6.10")
class UprobesTest {
    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @ParameterizedTest
    @EnumSource
    void everyCallIsCounted(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("tick", 0)), false, process.pid())) {
            process.ask("repeat 1000");

            assertThat(counter.hits(0)).isEqualTo(1000);
            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(attachment.refused()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void allThreadsOfTheProcessAreProbed(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("tick", 0)), false, process.pid())) {
            process.ask("threads 4 500");

            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(counter.hits(0)).isEqualTo(2000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherProcessesOfTheSameFileAreLeftAlone(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running probed = calls.start();
                CProgram.Running other = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("tick", 0)), false, probed.pid())) {
            other.ask("repeat 100");
            probed.ask("repeat 10");

            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(counter.hits(0)).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyProcessIsProbedAlsoOneThatStartsLater(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running earlier = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("tick", 0)), false, Uprobes.EVERY_PROCESS);
                CProgram.Running later = calls.start()) {
            earlier.ask("repeat 10");
            later.ask("repeat 20");

            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(counter.hits(0)).isEqualTo(30);
        }
    }

    @ParameterizedTest
    @EnumSource
    void returnProbeSeesTheResult(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("add", 0)), true, process.pid())) {
            process.ask("add 40 2");

            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(counter.hits(0)).isEqualTo(1);
            assertThat(counter.lastResult(0)).isEqualTo(42);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PERF_IOCTL")
    void cookieDistinguishesTheAttachPoints(UprobeAttachMethod method) throws Exception {
        List<AttachPoint> attachPoints =
                List.of(attachPoint("tick", 3), attachPoint("add", 4), attachPoint("other", 5));
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment =
                        Uprobes.attach(method, counter.program(), attachPoints, false, process.pid())) {
            process.ask("repeat 7");
            process.ask("add 1 1");

            assertThat(attachment.attachedCount()).isEqualTo(3);
            assertThat(counter.hits(3)).isEqualTo(7);
            assertThat(counter.hits(4)).isEqualTo(1);
            assertThat(counter.hits(5)).isZero();
        }
    }

    @Test
    void cookiesAreRefusedWhereNoneArrive() throws Exception {
        try (CallCounter counter = new CallCounter(UprobeAttachMethod.PERF_IOCTL)) {
            List<AttachPoint> attachPoints = List.of(attachPoint("tick", 3));

            assertThatThrownBy(() ->
                            Uprobes.attach(UprobeAttachMethod.PERF_IOCTL, counter.program(), attachPoints, false, -1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("PERF_IOCTL has no cookies for program call_counter: load a separate program for"
                            + " each attach point");
        }
    }

    @ParameterizedTest
    @EnumSource
    void instructionThatCannotBeProbedIsNamedAndTheOthersAreProbed(UprobeAttachMethod method) throws Exception {
        List<AttachPoint> attachPoints = List.of(
                attachPoint("tick", 0),
                attachPoint("add", 0),
                attachPoint("locked", 0),
                attachPoint("other", 0),
                attachPoint("greet", 0));
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment =
                        Uprobes.attach(method, counter.program(), attachPoints, false, process.pid())) {
            process.ask("repeat 7");
            process.ask("add 1 1");
            process.ask("other");
            process.ask("greet x");

            assertThat(attachment.attachedCount()).isEqualTo(4);
            assertThat(counter.hits(0)).isEqualTo(10);
            assertThat(attachment.refused()).hasSize(1);
            RefusedAttachPoint refused = attachment.refused().get(0);
            assertThat(refused.attachPoint()).isEqualTo(attachPoints.get(2));
            assertThat(refused.reason())
                    .isEqualTo("attach probe at " + attachPoints.get(2) + " in process " + process.pid()
                            + ": ENOTSUPP (the kernel cannot probe this instruction)");
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingFileIsNamedAndTheOthersAreProbed(UprobeAttachMethod method) throws Exception {
        AttachPoint missing = new AttachPoint(Path.of("/no/such/file"), 0x40, 0, 0);
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(missing, attachPoint("tick", 0)), false, process.pid())) {
            process.ask("repeat 7");

            assertThat(counter.hits(0)).isEqualTo(7);
            assertThat(attachment.refused())
                    .extracting(RefusedAttachPoint::attachPoint, RefusedAttachPoint::reason)
                    .containsExactly(tuple(
                            missing,
                            "attach probe at /no/such/file+0x40 in process " + process.pid()
                                    + ": ENOENT (No such file or directory)"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void offsetBehindTheEndOfTheFileIsRefused(UprobeAttachMethod method) throws Exception {
        AttachPoint beyond = new AttachPoint(calls.executable(), Files.size(calls.executable()) + 4096, 0, 0);
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment =
                        Uprobes.attach(method, counter.program(), List.of(beyond), false, process.pid())) {
            assertThat(attachment.attachedCount()).isZero();
            assertThat(attachment.refused())
                    .extracting(RefusedAttachPoint::reason)
                    .asString()
                    .contains("EINVAL (no instruction that can be probed begins at this offset of the file)");
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingProcessFailsAndLeavesNothingBehind(UprobeAttachMethod method) throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (CallCounter counter = new CallCounter(method)) {
            AttachPoint attachPoint = attachPoint("tick", 0);

            assertThatThrownBy(() -> Uprobes.attach(
                            method, counter.program(), List.of(attachPoint, attachPoint), false, 0x3fff_fff0))
                    .isInstanceOf(SyscallException.class)
                    .hasMessage("attach probe at " + attachPoint
                            + " in process 1073741808: ESRCH (process 1073741808 does not exist any more)");
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void semaphoreIsCountedUpWhileAttached(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method)) {
            String[] answer = process.ask("semaphore").split(" ");
            assertThat(answer[1]).isEqualTo("0");
            long offset = fileOffset(process.pid(), Long.parseLong(answer[0], 16));
            AttachPoint attachPoint = new AttachPoint(calls.executable(), calls.functionOffset("tick"), offset, 0);

            try (UprobeAttachment attachment =
                    Uprobes.attach(method, counter.program(), List.of(attachPoint), false, process.pid())) {
                assertThat(attachment.refused()).isEmpty();
                assertThat(process.ask("semaphore")).endsWith(" 1");
            }
            assertThat(process.ask("semaphore")).endsWith(" 0");
        }
    }

    @ParameterizedTest
    @EnumSource
    void closedAttachmentCountsNoMoreAndLeavesNothingBehind(UprobeAttachMethod method) throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method)) {
            List<AttachPoint> attachPoints =
                    List.of(attachPoint("tick", 0), attachPoint("locked", 0), attachPoint("other", 0));
            UprobeAttachment attachment = Uprobes.attach(method, counter.program(), attachPoints, false, process.pid());
            process.ask("repeat 5");
            attachment.close();
            attachment.close();
            process.ask("repeat 5");

            assertThat(counter.hits(0)).isEqualTo(5);
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @Test
    void manySitesTakeOneDescriptorByTheBestMeans() throws Exception {
        UprobeAttachMethod best = UprobeAttachMethod.best();
        assertThat(best).isEqualTo(UprobeAttachMethod.MULTI);
        long sled = calls.functionOffset("sled");
        int nopBytes = System.getProperty("os.arch", "").equals("aarch64") ? 4 : 1;
        List<AttachPoint> attachPoints = IntStream.range(0, 200)
                .mapToObj(i -> new AttachPoint(calls.executable(), sled + (long) i * nopBytes, 0, 1))
                .toList();
        HeldKernelObjects before;
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(best)) {
            before = HeldKernelObjects.held();
            try (UprobeAttachment attachment =
                    Uprobes.attach(best, counter.program(), attachPoints, false, process.pid())) {
                assertThat(attachment.attachedCount()).isEqualTo(200);
                assertThat(HeldKernelObjects.held().descriptors().values().stream()
                                .mapToInt(Integer::intValue)
                                .sum())
                        .isEqualTo(before.descriptors().values().stream()
                                        .mapToInt(Integer::intValue)
                                        .sum()
                                + 1);
            }
            assertThat(HeldKernelObjects.held()).isEqualTo(before);
        }
    }

    @Test
    void programLoadedForOtherMeansIsRefused() throws Exception {
        try (CallCounter counter = new CallCounter(UprobeAttachMethod.PERF_LINK)) {
            List<AttachPoint> attachPoints = List.of(attachPoint("tick", 0));

            assertThatThrownBy(
                            () -> Uprobes.attach(UprobeAttachMethod.MULTI, counter.program(), attachPoints, false, -1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("program call_counter was loaded as KPROBE for NONE: to be attached by MULTI it must be"
                            + " loaded as KPROBE for TRACE_UPROBE_MULTI");
        }
    }

    @ParameterizedTest
    @EnumSource
    void sleepableProgramIsAttachedToo(UprobeAttachMethod method) throws Exception {
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method, ProgramSpec.BPF_F_SLEEPABLE);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("tick", 0)), false, process.pid())) {
            process.ask("repeat 10");

            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(counter.hits(0)).isEqualTo(10);
        }
    }

    /** A shell that becomes the fixture keeps its pid: probes are in place before the fixture's first instruction. */
    @ParameterizedTest
    @EnumSource
    void processAttachedBeforeItsExecIsProbedFromTheStart(UprobeAttachMethod method) throws Exception {
        Process process = new ProcessBuilder(
                        "sh", "-c", "read line; exec \"$0\"", calls.executable().toString())
                .start();
        int pid = (int) process.pid();
        try (CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment =
                        Uprobes.attach(method, counter.program(), List.of(attachPoint("tick", 0)), false, pid)) {
            assertThat(attachment.attachedCount()).isEqualTo(1);
            try (Writer input = process.outputWriter()) {
                input.write("go\nrepeat 9\n");
            }
            assertThat(process.inputReader().readLine()).isEqualTo("9");
            assertThat(counter.hits(0)).isEqualTo(9);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void kernelCountsTheRunsWhileStatisticsAreOpen() throws Exception {
        UprobeAttachMethod method = UprobeAttachMethod.best();
        try (CProgram.Running process = calls.start();
                CallCounter counter = new CallCounter(method);
                UprobeAttachment attachment = Uprobes.attach(
                        method, counter.program(), List.of(attachPoint("tick", 0)), false, process.pid())) {
            process.ask("repeat 10");
            try (RunStatistics statistics = RunStatistics.open()) {
                assertThat(statistics).isNotNull();
                process.ask("repeat 20");
            }
            process.ask("repeat 40");

            assertThat(attachment.attachedCount()).isEqualTo(1);
            assertThat(counter.program().runs().count()).isEqualTo(20);
            assertThat(counter.program().runs().timeNs()).isPositive();
            assertThat(counter.program().recursionMisses()).isZero();
        }
    }

    private static AttachPoint attachPoint(String function, long cookie) throws Exception {
        return new AttachPoint(calls.executable(), calls.functionOffset(function), 0, cookie);
    }

    /** Where in the executable the given address of the process comes from (proc(5), /proc/PID/maps). */
    private static long fileOffset(int pid, long address) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
            String[] fields = line.split(" +");
            long from = Long.parseUnsignedLong(fields[0].split("-")[0], 16);
            long to = Long.parseUnsignedLong(fields[0].split("-")[1], 16);
            if (Long.compareUnsigned(address, from) >= 0 && Long.compareUnsigned(address, to) < 0) {
                return address - from + Long.parseUnsignedLong(fields[2], 16);
            }
        }
        throw new IOException("process " + pid + " maps nothing at " + Long.toHexString(address));
    }
}
