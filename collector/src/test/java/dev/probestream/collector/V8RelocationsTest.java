package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.kernel.V8RelocationProbes;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.V8Processes;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every collection that may move objects of V8 is counted, and a heap that is given back. */
@KernelTest(since = "6.1")
class V8RelocationsTest {
    /** Answers each line: "gc" collects everything once, "worker" begins and ends a worker. */
    private static final String SCRIPT = """
            require('v8').setFlagsFromString('--expose-gc');
            const gc = require('vm').runInNewContext('gc');
            const { Worker } = require('worker_threads');
            require('readline').createInterface({ input: process.stdin }).on('line', line => {
                if (line === 'gc') {
                    gc();
                    console.log('done');
                } else {
                    new Worker('0', { eval: true }).on('exit', () => console.log('done'));
                }
            });
            console.log('ready');
            """;

    private static final int COLLECTIONS = 10;

    static List<Path> nodes() throws Exception {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void collectionsAreCounted(Path executable) throws Exception {
        Process node = new ProcessBuilder(executable.toString(), "-e", SCRIPT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int pid = Math.toIntExact(node.pid());
        MapSpec processesMap = MapSpec.hash(MapNames.V8_PROCESSES, 4, V8ProcessLayout.SIZE_BYTES, 8);
        try (BpfMap map = BpfMap.create(processesMap);
                BpfMap moving = BpfMap.create(MapSpec.hash(MapNames.V8_MOVING, 4, 4, 8));
                V8RelocationProbes probes = new V8RelocationProbes(
                        TargetFilter.EVERY_PROCESS, Map.of(MapNames.V8_PROCESSES, map, MapNames.V8_MOVING, moving));
                BufferedReader answers = node.inputReader();
                PrintWriter lines = new PrintWriter(node.getOutputStream(), true, StandardCharsets.UTF_8)) {
            assertThat(answers.readLine()).isEqualTo("ready");
            V8Executables executables = new V8Executables();
            readByAnotherProcess(executables, executable);
            V8Processes processes = new V8Processes(map, executables, probes, 0);
            processes.add(pid);
            assertThat(executables.takeRefusals()).isEmpty();
            long before = processes.relocations(pid);
            assertThat(V8ProcessLayout.isMoving(before)).isFalse();

            for (int i = 0; i < COLLECTIONS; i++) {
                lines.println("gc");
                assertThat(answers.readLine()).isEqualTo("done");
            }
            long after = processes.relocations(pid);
            assertThat(V8ProcessLayout.isMoving(after)).isFalse();
            assertThat(steps(before, after)).as("beginnings and ends").isEqualTo(2 * COLLECTIONS);

            lines.println("worker");
            assertThat(answers.readLine()).isEqualTo("done");
            assertThat(steps(after, processes.relocations(pid)))
                    .as("the worker's heap")
                    .isOdd();

            processes.remove(pid);
            assertThat(processes.relocations(pid)).isNegative();
            processes.add(pid);
            assertThat(processes.relocations(pid)).as("another value").isNotIn(before, after);
        } finally {
            node.destroyForcibly();
        }
    }

    /** The executable is known by the path of a process that ends then. */
    private static void readByAnotherProcess(V8Executables executables, Path executable) throws Exception {
        Process other = new ProcessBuilder(
                        executable.toString(), "-e", "console.log('ready'); setInterval(() => {}, 1000)")
                .start();
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("ready");
            assertThat(executables.of(executable.toString(), ProcFile.of(Math.toIntExact(other.pid()), "exe")))
                    .isPresent();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    private static long steps(long before, long after) {
        return (after - before) / V8ProcessLayout.RELOCATION_STEP;
    }
}
