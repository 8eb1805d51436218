package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probestream inside a pid namespace: processes have the ids that a person sees there. */
@Tag("deep")
@KernelTest(since = "5.8")
class ContainerTest {
    @TempDir
    private static Path folder;

    private static String program = "";

    @BeforeAll
    static void compile() throws Exception {
        program = CProgram.compile(folder, "container/member").executable().toString();
    }

    /** A container whose process 1 is a shell, and the member that this starts. */
    private static final class Container implements AutoCloseable {
        final LineProgram member;
        final ProcessHandle memberOnHost;
        final String pid;

        Container() throws Exception {
            member = LineProgram.start(
                    List.of("unshare", "-pmf", "--kill-child", "--mount-proc", "bash", "-c", program + "; sleep 3600"));
            memberOnHost = ProcessHandle.of(Long.parseLong(member.pid()))
                    .orElseThrow()
                    .descendants()
                    .filter(process -> process.info().command().orElse("").equals(program))
                    .findAny()
                    .orElseThrow();
            pid = member.firstLine().replace("ready ", "");
        }

        /** Runs Probestream inside, as {@code docker exec} would. */
        CommandRun start(String... arguments) throws Exception {
            return CommandRun.start(
                    List.of("nsenter", "--pid", "--mount", "--target", String.valueOf(memberOnHost.pid())),
                    List.of(arguments));
        }

        int hits(String way, int count) throws Exception {
            return Integer.parseInt(member.ask(way + " " + count));
        }

        @Override
        public void close() {
            member.close();
        }
    }

    @Test
    void aProcessWithItsThreadsAndChildrenIsRecordedUnderTheIdsOfTheContainer() throws Exception {
        Path recording = folder.resolve("member.avro");
        int own;
        int thread;
        int child;
        int inner;
        try (Container container = new Container();
                CommandRun record = container.start(
                        "record",
                        "-o",
                        recording.toString(),
                        "-p",
                        container.pid,
                        "--follow",
                        "--probes",
                        "span:" + program + ":hit",
                        "--probes",
                        "tracepoint:sched:sched_process_exit(tid=pid)",
                        "--probes",
                        "sched:all,syscalls")) {
            record.awaitRecording();
            own = container.hits("self", 300);
            thread = container.hits("thread", 200);
            child = container.hits("child", 100);
            inner = container.hits("inner", 50);
            container.member.send("end");
            assertThat(String.valueOf(own)).isEqualTo(container.pid);
            assertThat(record.end()).isZero();
            assertThat(record.said())
                    .anyMatch(line -> line.contains("tracepoint:sched:sched_process_exit")
                            && line.contains("pid holds ids of the host"))
                    .anyMatch(line -> line.contains("threads outside this pid namespace"));
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.lost()).isZero();
        assertThat(counts(recorded.events("hit"), RecordedEvent::pid))
                .isEqualTo(Map.of(own, 500L, child, 100L, inner, 50L));
        assertThat(counts(recorded.events("hit"), RecordedEvent::tid))
                .isEqualTo(Map.of(own, 300L, thread, 200L, child, 100L, inner, 50L));
        assertThat(recorded.events("exit_group")).extracting(RecordedEvent::pid).contains(child, inner, own);
        // The kernel has taken a thread's ids away when it leaves its cpu for the last time.
        for (int ended : List.of(thread, child, inner)) {
            assertThat(recorded.events("sched_switch"))
                    .filteredOn(event -> event.argument("prev_tid").equals((long) ended))
                    .last()
                    .satisfies(event -> assertThat((long) event.argument("prev_state") & 0x30)
                            .isNotZero());
        }
        assertThat(recorded.events("sched_switch"))
                .allMatch(event -> isOfContainer(event.argument("prev_tid"), own)
                        || isOfContainer(event.argument("next_tid"), own));
    }

    /** Ids count up from 1 there, and only a few were given. */
    private static boolean isOfContainer(Object tid, int first) {
        return (long) tid >= first && (long) tid < first + 100;
    }

    @Test
    void commandsAndNamesAreFoundAndCounted() throws Exception {
        Path recording = folder.resolve("named.avro");
        String probe = "uprobe:" + program + ":hit(n=arg1:s32)";
        try (Container container = new Container();
                CommandRun trace = container.start("trace", probe + " /n < 7/", "--", program, "500");
                CommandRun hist = container.start("hist", probe, "--by", "pid", "--", program, "700")) {
            assertThat(trace.end()).isZero();
            assertThat(hist.end()).isZero();
            List<String> lines = trace.out().lines().toList();
            String pid = lines.stream()
                    .filter(line -> line.matches("\\d+"))
                    .findAny()
                    .orElseThrow();
            assertThat(lines)
                    .filteredOn(line -> line.contains(" hit "))
                    .hasSize(7)
                    .allMatch(line -> line.contains(" " + pid + " "));
            String counted = hist.out()
                    .lines()
                    .filter(line -> line.matches("\\d+"))
                    .findAny()
                    .orElseThrow();
            assertThat(hist.out()).containsPattern("700 +pid = " + counted + "\\b");

            try (CommandRun record =
                    container.start("record", "-o", recording.toString(), "--comm", "member", "--probes", probe)) {
                record.awaitRecording();
                container.hits("self", 40);
                container.hits("thread", 30);
                record.interruptChildren();
                assertThat(record.end()).isZero();
            }
            assertThat(counts(RecordedFile.read(recording).events("hit"), RecordedEvent::pid))
                    .isEqualTo(Map.of(Integer.parseInt(container.pid), 70L));
        }
    }

    @Test
    void fromTheHostTheProcessHasTheIdsOfTheHost() throws Exception {
        Path recording = folder.resolve("host.avro");
        int onHost;
        try (Container container = new Container()) {
            onHost = Math.toIntExact(container.memberOnHost.pid());
            try (CommandRun record = CommandRun.start(
                    "record",
                    "-o",
                    recording.toString(),
                    "-p",
                    String.valueOf(onHost),
                    "--probes",
                    "uprobe:" + program + ":hit")) {
                record.awaitRecording();
                container.hits("self", 60);
                container.member.send("end");
                assertThat(record.end()).isZero();
            }
        }
        assertThat(counts(RecordedFile.read(recording).events("hit"), RecordedEvent::pid))
                .isEqualTo(Map.of(onHost, 60L));
    }

    /** As in Docker: the namespace begins at a control group, and its mount shows nothing above. */
    @Test
    void aControlGroupIsFoundInsideItsNamespace() throws Exception {
        Path outer = Files.createDirectory(unifiedHierarchy().resolve("probestream-container-test"));
        Path inner = Files.createDirectory(outer.resolve("inner"));
        Path mount = Files.createDirectory(folder.resolve("cgroup"));
        String inside = "mount -t cgroup2 none " + mount + "; (echo 0 > " + mount + "/inner/cgroup.procs; while "
                + program + " 10; do sleep 0.01; done) > /dev/null & exec \"$@\"";
        String outside = "echo 0 > " + outer + "/cgroup.procs; exec unshare -pmfC --mount-proc bash -c '" + inside
                + "' sh \"$@\"";
        try (CommandRun trace = CommandRun.start(
                List.of("bash", "-c", outside, "sh"),
                List.of("trace", "-M", "5", "--cgroup", mount + "/inner", "uprobe:" + program + ":hit"))) {
            assertThat(trace.end()).isZero();
            assertThat(trace.out().lines())
                    .filteredOn(line -> line.contains(" hit "))
                    .hasSize(5);
        } finally {
            remove(inner);
            remove(outer);
        }
    }

    private static Path unifiedHierarchy() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .map(line -> line.split(" "))
                .filter(fields -> fields[2].equals("cgroup2"))
                .map(fields -> Path.of(fields[1]))
                .findFirst()
                .orElseThrow();
    }

    /** Once its processes, which end with the first of their namespace, have left it. */
    private static void remove(Path cgroup) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(cgroup.resolve("cgroup.procs")).isEmpty() && System.nanoTime() < deadlineNs) {
            LockSupport.parkNanos(1_000_000);
        }
        Files.delete(cgroup);
    }

    @Test
    void theProcOfAnotherNamespaceIsRefused() throws Exception {
        for (String command : List.of("trace", "hist")) {
            CommandRun run = CommandRun.start(
                    List.of("unshare", "-pf"), List.of(command, "uprobe:" + program + ":hit", "--", program, "1"));

            assertThat(run.end()).isEqualTo(77);
            assertThat(run.said())
                    .last()
                    .asString()
                    .contains("it shows the processes of another pid namespace")
                    .contains("mount -t proc proc /proc");
        }
    }

    private static Map<Integer, Long> counts(List<RecordedEvent> events, Function<RecordedEvent, Integer> id) {
        return events.stream().collect(Collectors.groupingBy(id, Collectors.counting()));
    }
}
