package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.kernel.BpfMap;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a program finds of JavaScript in a Node.js that was started without any option. */
@KernelTest(since = "6.1")
class V8FramesTest {
    private static final int DEPTH = 20;

    /** Calls itself, then the file system; the calls go on for ever. */
    private static final String SCRIPT =
            """
            const fs = require('fs');
            function down(n) { return n > 1 ? down(n - 1) + 1 : fs.fstatSync(1).dev; }
            setInterval(() => down(%d), 5);
            """;

    static List<Path> nodes() throws Exception {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void everyFrameOfAFunctionIsFound(Path executable) throws Exception {
        Process node = new ProcessBuilder(executable.toString(), "-e", String.format(SCRIPT, DEPTH)).start();
        int pid = Math.toIntExact(node.pid());
        UprobeAttachMethod means = UprobeAttachMethod.best();
        ProgramOptions options = TestCapture.options(TargetFilter.process(pid))
                .withUprobes(means.attachType(), true, means.hasCookies())
                .withJavaScript(true);
        try (ElfFile elf = ElfFile.open(executable);
                TestCapture capture = new TestCapture(options, means)) {
            ElfSymbol function = elf.function("uv_fs_fstat").orElseThrow();
            int probe = capture.add("uprobe:uv_fs_fstat [ustack]", executable, elf.fileOffset(function));
            int sampled = capture.add("profile:199 [ustack]");
            capture.start();
            capture.map(MapNames.V8_PROCESSES).update(BpfMap.key(pid), layout(elf).encode(7));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            int seen = 0;
            while (seen < 300 && System.nanoTime() < deadline) {
                Thread.sleep(10);
                seen = capture.drain().eventsOf(probe).size();
            }
            capture.stop();

            int samplesWithAllFrames = 0;
            boolean begun = false;
            for (int i = 0; i < capture.events.size(); i++) {
                List<Long> words = capture.javaScript.get(i);
                if (capture.events.get(i).getProbeId() == sampled) {
                    samplesWithAllFrames += frequency(words) == DEPTH ? 1 : 0;
                } else if (begun || !words.isEmpty()) {
                    begun = true;
                    assertThat(frequency(words)).as("frames of down()").isEqualTo(DEPTH);
                    // fstatSync below, the timer's callback and Node's own two functions above.
                    assertThat(words).hasSize(3 * (DEPTH + 4));
                    assertThat(capture.stacks.get(i)).containsSubsequence(pcs(words));
                }
            }
            assertThat(begun).isTrue();
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

    /** Where the frames go on, leaf first; all are known, since C++ runs below. */
    private static List<Long> pcs(List<Long> words) {
        return IntStream.range(0, words.size() / 3)
                .mapToObj(entry -> words.get(3 * entry))
                .toList();
    }

    private static V8ProcessLayout layout(ElfFile elf) throws Exception {
        V8Layout layout = V8LayoutReader.read(elf);
        return new V8ProcessLayout(
                layout.types().firstJsFunction(),
                layout.types().lastJsFunction(),
                layout.maps().instanceType(),
                layout.functions().shared());
    }
}
