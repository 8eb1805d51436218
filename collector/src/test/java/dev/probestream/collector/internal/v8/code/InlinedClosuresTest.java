package dev.probestream.collector.internal.v8.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.code.InlinedClosures.Inlined;
import dev.probestream.collector.internal.v8.function.FunctionDescription;
import dev.probestream.collector.internal.v8.function.FunctionReader;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A script stops behind functions that V8 has compiled into others: the callback of who waits for a connection into what frees
 * it, and a function that is always the same one.
 */
class InlinedClosuresTest {
    private static final String SCRIPT = """
            'use strict';
            let isArmed = false;
            function block() { if (isArmed) stop(''); }
            %NeverOptimizeFunction(block);
            function constant() { block(); return 1; }
            function waiter(name) { return function waits() { return name.length + constant(); }; }
            function release(waits) { return waits() + 1; }
            const names = ['one', 'two'];
            for (let i = 0; i < 100; i++) release(waiter(names[i & 1]));
            for (const f of [constant, release, waiter('warm')]) %PrepareFunctionForOptimization(f);
            for (let i = 0; i < 100; i++) release(waiter(names[i & 1]));
            %OPTIMIZE(release);
            for (let i = 0; i < 3; i++) release(waiter(names[i & 1]));
            isArmed = true;
            release(waiter('who waits'));
            """;

    @TempDir
    Path folder;

    static List<Path> nodes() throws IOException {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void closureIsFoundInTheFrameOfItsCaller(Path node) throws Exception {
        assertThat(called(node, "--opt", "OptimizeFunctionOnNextCall"))
                .containsExactly("[constant, waits in the frame]", "release");
    }

    @ParameterizedTest
    @MethodSource("dev.probestream.collector.internal.v8.code.CodePositionsTest#nodesWithMaglev")
    void noFunctionIsLeftOutOfCodeOfMaglev(Path node) throws Exception {
        String called = String.join(", ", called(node, "--maglev", "OptimizeMaglevOnNextCall"));
        assertThat(called.replaceAll("\\[|]| in the frame", "")).isEqualTo("constant, waits, release");
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void codeThatIsNotOptimizedHasNone(Path node) throws Exception {
        assertThat(called(node, "--no-opt", "OptimizeFunctionOnNextCall"))
                .containsExactly("constant", "waits", "release");
    }

    /** The functions of the script behind block(), and what is compiled into each. */
    private List<String> called(Path node, String option, String optimize) throws Exception {
        Path script = folder.resolve("waits.js");
        Files.writeString(script, SCRIPT.replace("OPTIMIZE", optimize));
        try (ElfFile elf = ElfFile.open(node);
                StoppedNode stopped =
                        StoppedNode.start(node, folder, "--allow-natives-syntax", option, script.toString())) {
            Assumptions.assumeTrue(stopped.line().isEmpty(), "until 22 official binaries have no Maglev");
            HeapReader heap = stopped.heap();
            FunctionReader names = new FunctionReader(heap);
            InlinedClosures closures = new InlinedClosures(heap, V8CodeLayoutReader.read(elf, V8Symbols.read(elf)));
            FileCode builtins = FileCode.of(stopped.pid());
            List<String> called = new ArrayList<>();
            for (StoppedFrame frame : stopped.frames()) {
                String name = name(names, frame.sharedFunctionInfo());
                if (!List.of("constant", "waits", "release").contains(name)) {
                    continue;
                }
                List<String> inlined = new ArrayList<>();
                List<Inlined> functions = builtins.test(frame.pc())
                        ? List.of()
                        : closures.at(frame.pc()).orElseThrow();
                for (Inlined each : functions) {
                    boolean isInFrame = each.offsetBytes().isPresent();
                    inlined.add(name(names, each.sharedFunctionInfo()) + (isInFrame ? " in the frame" : ""));
                    if (isInFrame) {
                        heap.begin();
                        long closure = heap.longAt(
                                frame.framePointer() + each.offsetBytes().getAsInt());
                        assertThat(heap.pointer(
                                        closure, heap.layout().functions().shared()))
                                .isEqualTo(each.sharedFunctionInfo());
                    }
                }
                if (!inlined.isEmpty()) {
                    called.add(inlined.toString());
                }
                called.add(name);
            }
            return called;
        }
    }

    private static String name(FunctionReader names, long sharedFunctionInfo) {
        return names.function(sharedFunctionInfo).map(FunctionDescription::name).orElse("");
    }
}
