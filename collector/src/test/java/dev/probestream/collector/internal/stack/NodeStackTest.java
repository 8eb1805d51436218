package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.collector.internal.resolve.RunningProgram;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Node that writes a perf map. */
class NodeStackTest {
    @TempDir
    Path folder;

    @Test
    void functionV8CompiledIsNamedByItsPerfMap() throws Exception {
        ElfFixture.needs("node");
        String script = "function probed(n) { return n < 2 ? n : probed(n - 1) + probed(n - 2) }"
                + " for (let i = 0; i < 30; i++) probed(20); console.log('ready'); process.stdin.resume()";
        try (RunningProgram node = RunningProgram.start(
                        // V8 leaves an empty log where it is started.
                        "sh",
                        "-c",
                        "cd \"$0\" && exec \"$@\"",
                        folder.toString(),
                        "node",
                        "--perf-basic-prof",
                        "-e",
                        script);
                Symbolizer symbolizer = new Symbolizer(CxxDemangler.ofThisMachine())) {
            Path map = Path.of("/tmp/perf-" + node.pid() + ".map");
            String[] line = Files.readAllLines(map).stream()
                    .filter(text -> text.contains("probed "))
                    .reduce((first, second) -> second)
                    .orElseThrow()
                    .split(" ");
            List<Stack> stacks = new ArrayList<>();
            StackInterner table = new StackInterner(1, symbolizer, JavaScriptNames.NONE, stacks::add);
            ByteBuffer sample = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
            sample.putLong(0, Long.parseLong(line[0], 16));
            table.idOf(0, node.pid(), sample, 0, 0, 0, 8, -1);
            table.flush();
            Files.delete(map);

            Frame frame = stacks.get(0).getFrames().get(0);
            assertThat(frame.getSymbol()).isEqualTo("probed");
            assertThat(frame.getFile()).isEqualTo("[eval]");
            assertThat(frame.getLine()).isEqualTo(1);
            assertThat(frame.getKind()).isEqualTo(FrameKind.JS);
            assertThat(frame.getModule()).isEmpty();
        }
    }
}
