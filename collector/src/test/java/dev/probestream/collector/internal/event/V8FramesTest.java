package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.V8Processes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a program finds of JavaScript in a Node.js that was started without any option. */
@KernelTest(since = "6.1")
class V8FramesTest {
    private static final int DEPTH = 20;

    /** Calls itself, then C++; for ever. Nothing is inlined, so that each call has a frame. */
    private static final String SCRIPT = """
            require('v8').setFlagsFromString('--no-opt');
            require('v8').setFlagsFromString('--no-maglev');
            const fs = require('fs');
            const crypto = require('crypto');
            function down(n, leaf) { return n > 1 ? down(n - 1, leaf) : leaf(); }
            const leaves = [() => fs.fstatSync(1), () => crypto.pbkdf2Sync('a', 'b', 1, 32, 'sha256')];
            setInterval(() => leaves.forEach((leaf) => down(DEPTH, leaf)), 5);
            """;

    static List<Path> nodes() throws Exception {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void everyFrameOfAFunctionIsFound(Path executable) throws Exception {
        Process node = new ProcessBuilder(executable.toString(), "-e", SCRIPT.replace("DEPTH", Integer.toString(DEPTH)))
                .start();
        int pid = Math.toIntExact(node.pid());
        UprobeAttachMethod means = UprobeAttachMethod.best();
        ProgramOptions options = TestCapture.options(TargetFilter.process(pid))
                .withUprobes(means.attachType(), true, means.hasCookies())
                .withJavaScript(true);
        try (ElfFile elf = ElfFile.open(executable);
                TestCapture capture = new TestCapture(options, means)) {
            ElfSymbol function = elf.function("uv_fs_fstat").orElseThrow();
            int probe = capture.add("uprobe:uv_fs_fstat [ustack]", executable, elf.fileOffset(function));
            // OpenSSL is built without frame pointers.
            ElfSymbol deep = elf.function("EVP_DigestUpdate").orElseThrow();
            int deepProbe = capture.add("uprobe:EVP_DigestUpdate [ustack]", executable, elf.fileOffset(deep));
            capture.start();
            int threadPointer = Math.toIntExact(FieldPath.resolve(BtfFile.ofKernel(), "task_struct.thread.fsbase")
                    .offsetBytes());
            new V8Processes(
                            capture.map(MapNames.V8_PROCESSES),
                            new V8Executables(),
                            watched -> Optional.empty(),
                            threadPointer)
                    .add(pid);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            int seen = 0;
            while (seen < 300 && System.nanoTime() < deadline) {
                Thread.sleep(10);
                seen = capture.drain().eventsOf(probe).size();
            }
            capture.stop();

            boolean begun = false;
            for (int i = 0; i < capture.events.size(); i++) {
                List<Long> words = capture.javaScript.get(i);
                if (begun || !words.isEmpty()) {
                    begun = true;
                    assertThat(frequency(words)).as("frames of down()").isEqualTo(DEPTH);
                    assertThat(pcs(words))
                            .as("all are known, since C++ runs below")
                            .doesNotContain(0L);
                    if (capture.events.get(i).getProbeId() == probe) {
                        assertThat(capture.stacks.get(i)).containsSubsequence(pcs(words));
                    }
                }
            }
            assertThat(begun).isTrue();
            assertThat(capture.eventsOf(deepProbe)).hasSizeGreaterThan(100);
        } finally {
            node.destroyForcibly();
        }
    }

    /** How often the function occurs that occurs most. */
    private static long frequency(List<Long> words) {
        Map<Long, Long> counts = IntStream.range(0, words.size() / 3)
                .mapToObj(entry -> words.get(3 * entry + 1))
                .collect(Collectors.groupingBy(function -> function, Collectors.counting()));
        return counts.values().stream().max(Long::compare).orElse(0L);
    }

    /** Where the frames go on, leaf first. */
    private static List<Long> pcs(List<Long> words) {
        return IntStream.range(0, words.size() / 3)
                .mapToObj(entry -> words.get(3 * entry))
                .toList();
    }
}
