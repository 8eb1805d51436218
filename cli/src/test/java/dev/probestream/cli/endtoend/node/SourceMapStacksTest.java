package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.RecordedStacks;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.record.Frame;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What compilers of TypeScript wrote is recorded with the lines that Node itself prints with {@code --enable-source-maps}. */
@KernelTest(since = "5.8")
class SourceMapStacksTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final Path SCRIPTS = Path.of("../collector/src/test/resources/testdata/sourcemap")
            .toAbsolutePath()
            .normalize();
    private static final Pattern PLACE = Pattern.compile("[ (](/[^()]*:\\d+):\\d+\\)?$");

    /** Each script writes the text of its stack by a probed function, with the functions that it names still on the stack. */
    private static final String LOADER = """
            const fs = require('fs');
            const file = fs.openSync(process.argv[2], 'w');
            console.log = text => fs.writeSync(file, text + '\\n');
            require('readline').createInterface({ input: process.stdin }).on('line', () => {
              process.argv.slice(3).forEach(script => require(script));
              setImmediate(() => process.stdout.write('done\\n'));
            });
            process.stdout.write('ready\\n');
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void framesHaveTheLinesThatNodePrints(NodeBinary node) throws Exception {
        Path recording = folder.resolve("stacks.avro");
        Path texts = folder.resolve("texts");
        List<String> command = new ArrayList<>(List.of(
                node.path().toString(),
                "--enable-source-maps",
                Files.writeString(folder.resolve("loader.js"), LOADER).toString(),
                texts.toString()));
        List.of("tsc", "inline", "root", "bundle")
                .forEach(compiled -> command.add(SCRIPTS + "/" + compiled + "/app.js"));
        try (LineProgram app = LineProgram.start(command);
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        app.pid(),
                        "-o",
                        recording.toString(),
                        "--probes",
                        "uprobe:uv_fs_write [ustack]")) {
            record.awaitRecording();
            app.ask("go");
            assertThat(record.interrupt().end()).as(record::toString).isZero();
        }

        List<List<String>> printed = printed(Files.readAllLines(texts));
        assertThat(printed).hasSize(4).allMatch(stack -> stack.size() == 6);
        List<List<String>> recorded = RecordedStacks.read(recording).of("uv_fs_write", "").stream()
                .map(SourceMapStacksTest::places)
                .toList();
        // The innermost is the function that writes the text; it was called after the text was made.
        assertThat(recorded).allSatisfy(stack -> assertThat(stack.get(0)).isEqualTo(SCRIPTS + "/src/app.ts:32"));
        assertThat(recorded.stream()
                        .map(stack -> stack.subList(1, stack.size()))
                        .toList())
                .isEqualTo(printed);
    }

    private static List<String> places(List<Frame> stack) {
        return stack.stream()
                .filter(frame -> !frame.getSourceFile().isEmpty())
                .map(frame -> frame.getSourceFile() + ":" + frame.getSourceLine())
                .toList();
    }

    private static List<List<String>> printed(List<String> lines) {
        List<List<String>> stacks = new ArrayList<>();
        for (String line : lines) {
            Matcher place = PLACE.matcher(line);
            if (line.startsWith("Error: here")) {
                stacks.add(new ArrayList<>());
            } else if (place.find()) {
                stacks.get(stacks.size() - 1).add(place.group(1));
            }
        }
        return stacks;
    }
}
