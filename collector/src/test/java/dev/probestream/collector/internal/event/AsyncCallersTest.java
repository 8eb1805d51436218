package dev.probestream.collector.internal.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncKind;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.async.AsyncLayoutReader;
import dev.probestream.collector.internal.v8.code.CodePosition;
import dev.probestream.collector.internal.v8.code.CodePositions;
import dev.probestream.collector.internal.v8.function.FunctionDescription;
import dev.probestream.collector.internal.v8.function.FunctionReader;
import dev.probestream.collector.internal.v8.function.SourcePosition;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Async callers that a program reads at a hit are those that Error.stack shows there. */
@KernelTest(since = "6.1")
class AsyncCallersTest {
    @TempDir
    Path folder;

    static Stream<Path> nodes() throws Exception {
        List<Path> nodes = new ArrayList<>();
        for (Path node : NodeExecutables.all()) {
            try (ElfFile elf = ElfFile.open(node)) {
                if (elf.function("Builtins_RunMicrotasks").isPresent()) {
                    nodes.add(node);
                }
            }
        }
        return nodes.stream();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void asyncCallersAreThoseOfErrorStack(Path executable) throws Exception {
        Path script = folder.resolve("async-callers.js");
        try (InputStream source = getClass().getResourceAsStream("/testdata/v8/async-callers.js")) {
            Files.write(script, Objects.requireNonNull(source).readAllBytes());
        }
        Process node = new ProcessBuilder(executable.toString(), script.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int pid = Math.toIntExact(node.pid());
        UprobeAttachMethod means = UprobeAttachMethod.best();
        ProgramOptions options = TestCapture.options(TargetFilter.process(pid))
                .withUprobes(means.attachType(), true, means.hasCookies())
                .withJavaScript(true);
        try (ElfFile elf = ElfFile.open(executable);
                BufferedReader output = node.inputReader(UTF_8);
                ProcessMemory memory = ProcessMemory.open(pid);
                TestCapture capture = new TestCapture(options, means)) {
            assertThat(output.readLine()).isEqualTo("ready");
            ElfSymbol function = elf.function("uv_fs_link").orElseThrow();
            int probe = capture.add("uprobe:uv_fs_link [ustack]", executable, elf.fileOffset(function));
            capture.start();
            V8Layout layout = V8LayoutReader.read(elf);
            capture.map(MapNames.V8_PROCESSES)
                    .update(BpfMap.key(pid), processLayout(elf, layout).encode(7));
            List<String> expected = expected(node, output);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (capture.drain().eventsOf(probe).size() < expected.size() && System.nanoTime() < deadline) {
                Thread.sleep(5);
            }
            HeapReader heap = new HeapReader(memory, layout);
            FunctionReader functions = new FunctionReader(heap);
            CodePositions positions =
                    new CodePositions(heap, V8CodeLayoutReader.read(elf, V8Symbols.read(elf)), pc -> false);
            List<String> read = new ArrayList<>();
            for (int i = 0; i < capture.events.size(); i++) {
                String label = i < expected.size() ? expected.get(i).split("\t")[0] : "?";
                read.add(String.join("\t", label, callers(capture.javaScript.get(i), functions, positions))
                        .trim());
            }
            assertThat(read).isEqualTo(expected);
            assertThat(read).hasSizeGreaterThan(30);
        } finally {
            node.destroyForcibly();
        }
    }

    /** Runs the script to its end; of each line its label, and names and places without class and file. */
    private static List<String> expected(Process node, BufferedReader output) throws Exception {
        OutputStream input = node.getOutputStream();
        input.write('\n');
        input.flush();
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); !"end".equals(line); line = output.readLine()) {
            String[] parts = Objects.requireNonNull(line).split("\t");
            StringBuilder text = new StringBuilder(parts[0]);
            for (int i = 1; i < Math.min(parts.length, JavaScriptRoom.MAX_ASYNC_CALLERS + 1); i++) {
                text.append('\t').append(name(parts[i].substring("at async ".length())));
            }
            lines.add(text.toString());
        }
        return lines;
    }

    /** Of {@code Class.name (file:line:column)} or {@code file:line:column}. */
    private static String name(String caller) {
        if (caller.startsWith("Promise.")) {
            return caller.substring(0, caller.indexOf(' ')) + ":0";
        }
        boolean isNamed = caller.endsWith(")");
        String name = isNamed ? caller.substring(0, caller.indexOf(" (")) : "";
        String[] place =
                caller.substring(0, caller.length() - (isNamed ? 1 : 0)).split(":");
        return name.substring(name.lastIndexOf('.') + 1) + ":" + place[place.length - 2] + ":"
                + place[place.length - 1];
    }

    private static String callers(List<Long> words, FunctionReader functions, CodePositions positions) {
        List<String> callers = new ArrayList<>();
        for (int i = 0; i < words.size(); i += 3) {
            long pc = words.get(i);
            long word = words.get(i + 2);
            long function = words.get(i + 1);
            assertThat((int) word)
                    .as("anything but a Smi differs from hit to hit")
                    .isZero();
            AsyncKind.ofPc(pc)
                    .map(kind -> switch (kind) {
                        case AWAIT ->
                            awaiting(functions.function(function).orElseThrow(), positions.of(pc, function, word));
                        case ALL, ALL_SETTLED, ANY -> kind.symbol() + ":" + word;
                    })
                    .ifPresent(callers::add);
        }
        return String.join("\t", callers);
    }

    private static String awaiting(FunctionDescription function, List<CodePosition> positions) {
        assertThat(positions).hasSize(1);
        SourcePosition place = function.script()
                .orElseThrow()
                .positionOf(positions.get(0).sourcePosition())
                .orElseThrow();
        return function.name() + ":" + place.line() + ":" + place.column();
    }

    private static V8ProcessLayout processLayout(ElfFile elf, V8Layout layout) throws Exception {
        int threadPointer = Math.toIntExact(FieldPath.resolve(BtfFile.ofKernel(), "task_struct.thread.fsbase")
                .offsetBytes());
        return new V8ProcessLayout(
                layout.types().firstJsFunction(),
                layout.types().lastJsFunction(),
                layout.maps().instanceType(),
                layout.functions().shared(),
                0,
                AsyncLayoutReader.read(elf, V8Symbols.read(elf), layout).withThreadPointer(threadPointer));
    }
}
