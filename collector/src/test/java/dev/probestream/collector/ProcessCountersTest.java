package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.Recorded.Kept;
import dev.probestream.collector.internal.counter.ProcessCounter;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.schema.record.EventKind;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The set process: what is read about a process at the end of a capture is what /proc contains then. */
@KernelTest(since = "5.8")
class ProcessCountersTest {
    private static final long TICK_NS = 10_000_000;
    private static final String BURN_AND_WAIT = "exec 7</dev/null 8</dev/null; i=0;"
            + " while [ $i -lt 200000 ]; do i=$((i+1)); done; echo ready; read line";

    @TempDir
    private Path folder;

    @Test
    void theLastReadingIsWhatTheProcessHas() throws Exception {
        Process process = new ProcessBuilder("bash", "-c", BURN_AND_WAIT).start();
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("ready");
            int pid = (int) process.pid();
            SmallRecording recording = SmallRecording.ofProcess(folder, pid, () -> {}, "process");
            Recorded recorded = recording.recorded();
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");

            assertThat(last(recorded, "cpu").numbers().subList(0, 2))
                    .as("the process waits: it uses no more CPU time")
                    .containsExactly(Long.parseLong(fields[11]) * TICK_NS, Long.parseLong(fields[12]) * TICK_NS);
            assertThat(last(recorded, "cpu").numbers().get(0)).isPositive();
            assertThat(last(recorded, "memory").numbers().get(0)).isBetween(1L << 20, 1L << 26);
            assertThat(last(recorded, "threads").numbers()).containsExactly(1L);
            long open;
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
                open = descriptors.count();
            }
            assertThat(last(recorded, "open descriptors").numbers().get(0)).isEqualTo(open);
            assertThat(last(recorded, "descriptors").numbers())
                    .as("standard input, output and error are pipes")
                    .containsExactly(0L, 3L, open - 3, 0L, 0L, 0L);
            assertThat(last(recorded, "connections").numbers()).containsOnly(0L);
            assertThat(recorded.of("listen queue")).isEmpty();
            assertThat(last(recorded, "machine cpu").numbers().get(3))
                    .as("CPUs")
                    .isPositive();
            assertThat(recorded.events)
                    .allMatch(event -> event.pid() == pid)
                    .allMatch(event -> event.kind() == EventKind.COUNTER
                            // Where the machine that runs this test limits its own control group.
                            || recorded.of("cpu limit file").contains(event)
                            || recorded.of("name servers").contains(event))
                    .allMatch(event ->
                            event.timestampNs() >= recorded.captures.get(0).getMonotonicNs())
                    .allMatch(
                            event -> event.timestampNs() <= recorded.ends.get(0).getMonotonicNs());
            assertThat(recording.notices()).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void theProgramIsReadOnceAlsoOfAProcessThatJoinsLater() throws Exception {
        Files.writeString(folder.resolve("package.json"), "{\"name\": \"shop\", \"version\": \"1.2.0\"}");
        Path script = Files.writeString(folder.resolve("server.js"), """
                if (process.argv[2]) setTimeout(() => {}, 2500);
                else require('child_process').spawnSync(process.execPath, [__filename, 'child'], {stdio: 'inherit'});""");
        String node = NodeExecutables.installed().toString();
        Recorded recorded = SmallRecording.ofCommand(folder, true, List.of(node, script.toString()), "process")
                .recorded();

        assertThat(recorded.of("program")).hasSize(2).allSatisfy(event -> {
            assertThat(event.kind()).isEqualTo(EventKind.INSTANT);
            assertThat(event.strings().get(0)).matches("Node\\.js \\d+\\.\\d+\\.\\d+");
            assertThat(event.strings().get(1)).isEqualTo("shop 1.2.0");
            assertThat(event.unavailable()).isZero();
        });
        assertThat(recorded.of("program").get(0).pid())
                .isNotEqualTo(recorded.of("program").get(1).pid());
        assertThat(recorded.of("cpu").size()).as("other readings").isGreaterThan(2);
        if (Files.readString(Path.of("/etc/resolv.conf")).lines().anyMatch(line -> line.startsWith("nameserver "))) {
            assertThat(recorded.of("name servers")).hasSize(2);
        }
    }

    @Test
    void everyProbeOfTheKindHasItsRecord() throws Exception {
        assertThat(ProbeKind.PROCESS.idCount()).isEqualTo(ProcessCounter.values().length);

        Recorded recorded = SmallRecording.ofCommand(folder, false, List.of("sleep", "0.3"), "process")
                .recorded();

        assertThat(recorded.probes.values())
                .allMatch(probe -> probe.getCategory().equals("process"))
                .extracting(probe -> probe.getName())
                .containsExactlyInAnyOrderElementsOf(Stream.of(ProcessCounter.values())
                        .map(ProcessCounter::probeName)
                        .toList());
        assertThat(recorded.of("memory"))
                .as("read of the program, not of the shell before it")
                .isNotEmpty();
    }

    private static Kept last(Recorded recorded, String probe) {
        List<Kept> all = recorded.of(probe);
        return Objects.requireNonNull(all.get(all.size() - 1));
    }
}
