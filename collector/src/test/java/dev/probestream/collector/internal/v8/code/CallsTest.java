package dev.probestream.collector.internal.v8.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A program whose functions V8 compiles when it likes to, with calls of all forms (constructors, accessors, private
 * methods, generators, iterators, callbacks of builtins, proxies, try and finally, loops that are replaced while they run),
 * is stopped again and again: every call that V8's text of the stack has must be found, in order, by line and column.
 */
@Tag("deep")
class CallsTest {
    private static final Path SCRIPT =
            Path.of("src/test/resources/testdata/v8/calls.js").toAbsolutePath();
    private static final Pattern CALL = Pattern.compile("calls\\.js:(\\d+:\\d+)");
    private static final int STOPS = 150;

    private static String source = "";

    @TempDir
    Path folder;

    @BeforeAll
    static void readScript() throws IOException {
        source = Files.readString(SCRIPT);
    }

    static List<Path> nodes() throws IOException {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void everyCallIsWhereV8SaysItIs(Path node) throws Exception {
        try (ElfFile elf = ElfFile.open(node);
                StoppedNode stopped = StoppedNode.start(node, folder, SCRIPT.toString())) {
            CodePositions positions = new CodePositions(
                    stopped.heap(), V8CodeLayoutReader.read(elf, V8Symbols.read(elf)), FileCode.of(stopped.pid()));
            int inlined = 0;
            int contiguous = 0;
            for (int i = 0; i < STOPS; i++) {
                List<String> found = new ArrayList<>();
                for (StoppedFrame frame : stopped.frames()) {
                    List<CodePosition> functions = positions.of(frame.pc(), frame.sharedFunctionInfo(), frame.word());
                    functions.stream()
                            .filter(function -> function.sourcePosition() >= 0)
                            .forEach(function -> found.add(place(function.sourcePosition())));
                    inlined += functions.size() - 1;
                }
                List<String> expected = expected(stopped.line());
                assertThat(found).as(stopped.line()).containsSubsequence(expected);
                contiguous += Collections.indexOfSubList(found, expected) < 0 ? 0 : 1;
                stopped.next();
            }
            // Frames are searched for on the stack, without registers: below C++, some that have ended look alive.
            assertThat(contiguous).isGreaterThan(STOPS * 9 / 10);
            assertThat(inlined).isPositive();
        }
    }

    private static List<String> expected(String stack) {
        List<String> calls = new ArrayList<>();
        Matcher matcher = CALL.matcher(stack);
        while (matcher.find()) {
            calls.add(matcher.group(1));
        }
        // The Error was made at another column than the call of stop.
        return calls.subList(1, calls.size());
    }

    /** Line and column; not of this script if it is longer. */
    private static String place(int position) {
        if (position > source.length()) {
            return "elsewhere";
        }
        String before = source.substring(0, position);
        return before.chars().filter(c -> c == '\n').count() + 1 + ":" + (position - before.lastIndexOf('\n'));
    }
}
