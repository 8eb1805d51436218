package dev.probestream.collector.internal.v8.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HeapReaderTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.probestream.collector.internal.v8.NodeExecutables#all")
    void framesOfAStoppedProcessAreFunctionsOfScripts(Path node) throws Exception {
        Path script = folder.resolve("app.js");
        Files.writeString(script, """
                function inner() { stop('here') }
                function middle() { [1].map(() => inner()) }
                class Outer { run() { middle() } }
                new Outer().run();
                """);
        try (StoppedNode stopped = StoppedNode.start(node, folder, script.toString())) {
            assertThat(stopped.line()).isEqualTo("here");
            HeapReader heap = stopped.heap();
            int ofScript = 0;
            for (StoppedFrame frame : stopped.frames()) {
                long holder = heap.pointer(
                        frame.sharedFunctionInfo(),
                        heap.layout().sharedFunctions().script());
                if (heap.is(holder, heap.layout().types().script())) {
                    long name = heap.pointer(holder, heap.layout().scripts().name());
                    if (new HeapStrings(heap).string(name, 1000).equals(script.toString())) {
                        ofScript++;
                        assertThat(frame.pc()).isNotZero();
                    }
                }
            }
            // inner, the arrow function, middle, run and the script itself
            assertThat(ofScript).isEqualTo(5);
        }
    }
}
