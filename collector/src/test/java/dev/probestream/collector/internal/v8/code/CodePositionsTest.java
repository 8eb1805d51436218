package dev.probestream.collector.internal.v8.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A script stops in a nest of functions, in each tier of V8 forced in turn, and prints the text that V8 itself makes of its
 * stack; the positions read from its memory must be the same.
 */
class CodePositionsTest {
    /** Functions are found by their place in the source, so that no name needs to be read: one a line. */
    private static final String SCRIPT = """
            'use strict';
            const armed = { now: false, text: true };
            function block(x) {
              if (!armed.now) return x;
              stop(armed.text ? new Error('here').stack : '');
              return x;
            }
            %NeverOptimizeFunction(block);
            function pick(x) { const y = x + 1;
              return block(y) + 1; }
            class Box {
              constructor(x) { this.sum = 0;
                for (let i = 0; i < 3; i++) this.sum += pick(x + i); }
              get half() { const s = new Box(this.sum).sum;
                return s / 2; }
            }
            const arrow = x => { const b = new Box(x);
              return b.sum; };
            function inner(x) { const s = arrow(x) + 1;
              return s; }
            function middle(x) { const a = x + 1;
              return a + inner(x + 1); }
            function outer(x) {
              return [x, x + 1].map(function each(y) {
                return middle(y); }).length; }
            const all = [pick, arrow, inner, middle, outer];
            const [tier, text] = process.argv.slice(2);
            if (tier === 'maglev' || tier === 'turbofan') {
              for (const f of all) %PrepareFunctionForOptimization(f);
              for (let i = 0; i < 300; i++) outer(i); }
            if (tier === 'sparkplug') { for (const f of all) %CompileBaseline(f); }
            if (tier === 'maglev') { for (const f of all) %OptimizeMaglevOnNextCall(f); }
            if (tier === 'turbofan') { for (const f of all) %OptimizeFunctionOnNextCall(f); }
            for (let i = 0; i < 3; i++) outer(i);
            armed.now = true;
            armed.text = text !== 'silent';
            outer(5);
            """;

    /** A function of the script, or a builtin. */
    private static final Pattern CALL = Pattern.compile("nest\\.js:(\\d+:\\d+)|\\(<anonymous>\\)");

    private static final String NATIVE_STACK = "--interpreted-frames-native-stack";

    private static final String NO_PLACE = "no place";

    @TempDir
    Path folder;

    private Path script;

    @BeforeEach
    void writeScript() throws IOException {
        script = folder.resolve("nest.js");
        Files.writeString(script, SCRIPT);
    }

    static List<Path> nodes() throws IOException {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void interpretedFunctionsAreWhereV8SaysTheyAre(Path node) throws Exception {
        assertThat(compare(node, "none", "--no-opt", "--no-sparkplug")).isZero();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void copiesOfTheInterpreterAreWhereV8SaysTheyAre(Path node) throws Exception {
        assertThat(compare(node, "none", "--no-opt", "--no-sparkplug", NATIVE_STACK))
                .isZero();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void baselineFunctionsAreWhereV8SaysTheyAre(Path node) throws Exception {
        assertThat(compare(node, "sparkplug", "--no-opt", "--always-sparkplug")).isZero();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void functionsInlinedByTurbofanAreWhereV8SaysTheyAre(Path node) throws Exception {
        assertThat(compare(node, "turbofan")).isPositive();
    }

    /** Not 18, which does not know the option. */
    static List<Path> nodesWithMaglev() throws Exception {
        List<Path> nodes = new ArrayList<>();
        for (Path node : nodes()) {
            if (!version(node).startsWith("v18.")) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    private static String version(Path node) throws IOException {
        return new String(
                new ProcessBuilder(node.toString(), "--version")
                        .start()
                        .getInputStream()
                        .readAllBytes(),
                StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("nodesWithMaglev")
    void functionsInlinedByMaglevAreWhereV8SaysTheyAre(Path node) throws Exception {
        assertThat(compare(node, "maglev", "--maglev")).isPositive();
    }

    /** Maglev's tables attribute an inlined forEach to the function that it was inlined into. */
    @ParameterizedTest
    @MethodSource("nodesWithMaglev")
    void inlinedBuiltinIsNotShownAsTheFunctionThatCallsIt(Path node) throws Exception {
        Files.writeString(script, """
                const armed = { now: false };
                function block() { if (armed.now) stop(''); }
                %NeverOptimizeFunction(block);
                const forEach = () => [1].forEach(function visit() { block(); });
                %PrepareFunctionForOptimization(forEach);
                for (let i = 0; i < 300; i++) forEach();
                %OptimizeMaglevOnNextCall(forEach);
                forEach();
                armed.now = true;
                forEach();
                """);
        try (ElfFile elf = ElfFile.open(node);
                StoppedNode stopped =
                        StoppedNode.start(node, folder, "--allow-natives-syntax", "--maglev", script.toString())) {
            Assumptions.assumeTrue(stopped.line().isEmpty(), "until 22 official binaries have no Maglev");
            CodePositions positions = new CodePositions(
                    stopped.heap(), V8CodeLayoutReader.read(elf, V8Symbols.read(elf)), FileCode.of(stopped.pid()));
            List<Long> functions = new ArrayList<>();
            for (StoppedFrame frame : stopped.frames()) {
                positions
                        .of(frame.pc(), frame.sharedFunctionInfo(), frame.word())
                        .forEach(function -> functions.add(function.sharedFunctionInfo()));
            }
            assertThat(functions.stream().limit(8)).doesNotHaveDuplicates();
        }
    }

    /** Node.js has V8 make all positions (CpuProfiler::UseDetailedSourcePositionsForProfiling), not only those of stacks. */
    @ParameterizedTest
    @MethodSource("nodes")
    void positionsAreThereBeforeAnyStackWasPrinted(Path node) throws Exception {
        try (ElfFile elf = ElfFile.open(node);
                StoppedNode stopped = StoppedNode.start(
                        node, folder, "--allow-natives-syntax", script.toString(), "turbofan", "silent")) {
            CodePositions positions = new CodePositions(
                    stopped.heap(), V8CodeLayoutReader.read(elf, V8Symbols.read(elf)), FileCode.of(stopped.pid()));
            List<String> found = new ArrayList<>();
            for (StoppedFrame frame : stopped.frames()) {
                positions
                        .of(frame.pc(), frame.sharedFunctionInfo(), frame.word())
                        .forEach(function -> found.add(place(function.sourcePosition())));
            }
            assertThat(found)
                    .containsSequence(
                            "5:3", "10:10", "13:45", "17:32", "19:31", "22:14", "25:12", NO_PLACE, "24:21", "37:1");
        }
    }

    /** Compares the functions of the script in V8's text with those in memory; returns how many were inlined. */
    private int compare(Path node, String tier, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--allow-natives-syntax"));
        arguments.addAll(Arrays.asList(options));
        arguments.addAll(List.of(script.toString(), tier));
        try (ElfFile elf = ElfFile.open(node);
                StoppedNode stopped = StoppedNode.start(node, folder, arguments.toArray(String[]::new))) {
            Assumptions.assumeFalse(
                    stopped.line().equals("Maglev is not enabled."), "until 22 official binaries have no Maglev");
            FileCode fileCode = FileCode.of(stopped.pid());
            CodePositions positions =
                    new CodePositions(stopped.heap(), V8CodeLayoutReader.read(elf, V8Symbols.read(elf)), fileCode);
            List<String> found = new ArrayList<>();
            int inlined = 0;
            boolean isCompiled = !arguments.contains(NATIVE_STACK);
            for (StoppedFrame frame : stopped.frames()) {
                List<CodePosition> functions = positions.of(frame.pc(), frame.sharedFunctionInfo(), frame.word());
                functions.forEach(function -> found.add(place(function.sourcePosition())));
                inlined += functions.size() - 1;
                if (isCompiled && !fileCode.test(frame.pc()) && frame.pc() != 0) {
                    // The call, which is in the middle of that instruction.
                    assertThat(positions.ofInstruction(frame.pc() - 1, frame.sharedFunctionInfo()))
                            .as(found.toString())
                            .isEqualTo(withoutBuiltins(functions));
                }
            }
            assertThat(found).containsSequence(expected(stopped.line()));
            assertThat(positions.outcomes().keySet())
                    .isSubsetOf(PositionOutcome.FOUND, PositionOutcome.BUILTIN, PositionOutcome.NOT_RECORDED);
            return inlined;
        }
    }

    private static List<CodePosition> withoutBuiltins(List<CodePosition> functions) {
        return functions.stream()
                .filter(function -> function.sourcePosition() >= 0 || functions.size() == 1)
                .collect(Collectors.toList());
    }

    /** The calls in the script, in V8's text of a stack; builtins have no place. */
    private static List<String> expected(String stack) {
        List<String> expected = new ArrayList<>();
        Matcher calls = CALL.matcher(stack);
        while (calls.find()) {
            expected.add(calls.group(1) == null ? NO_PLACE : calls.group(1));
        }
        assertThat(expected).as(stack).hasSizeGreaterThan(8).contains(NO_PLACE);
        // The Error was made at another column than the call of stop.
        return expected.subList(1, expected.size());
    }

    private static String place(int position) {
        if (position < 0) {
            return NO_PLACE;
        }
        if (position > SCRIPT.length()) {
            return "beyond";
        }
        String before = SCRIPT.substring(0, position);
        return before.chars().filter(c -> c == '\n').count() + 1 + ":" + (position - before.lastIndexOf('\n'));
    }
}
