package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.function.FunctionDescription;
import dev.probestream.collector.internal.v8.function.FunctionReader;
import dev.probestream.collector.internal.v8.function.Script;
import dev.probestream.schema.FrameText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A function has one name, file, line and column, whether it is named by its perf map or from memory. */
class OneNameTest {
    /** Each calls the next. */
    private static final String FORMS = """
            const vm = require('vm');
            let step = 0;
            const forms = [];
            const next = globalThis.next = () => step < forms.length ? forms[step++]() : stop('here');
            class Base {
              method() { next() }
              static still() { next() }
              #secret() { next() }
              open() { this.#secret() }
              get value() { return next() }
              ['comp uted']() { next() }
              [Symbol.iterator]() { next() }
              field = (() => { if (step === 12) next() })();
              static *generator() { next() }
              async promised() { next() }
            }
            forms.push(function declared() { next() }, () => { next() }, function () { next() }, () => new Base().method());
            forms.push(() => Base.still(), () => new Base().open(), () => new Base().value, () => new Base()['comp uted']());
            forms.push(() => new Base()[Symbol.iterator](), () => Base.generator().next(), () => new Base().promised());
            const object = { 'GET /users': () => { next() }, '/a b:1:2': function () { next() }, ' b ': () => { next() } };
            forms.push(object['GET /users'], object['/a b:1:2']);
            forms.push(() => [1].map(function each() { next() }), () => 'x'.replace(/x/, () => { next(); return '' }));
            forms.push(() => JSON.parse('{"a":1}', (k, v) => { if (k) next(); return v }));
            forms.push(new Function('a', 'next() // made'), () => eval('(function evaluated() { next() })()'));
            forms.push(() => (0, eval)('next()'), () => vm.runInThisContext('(function inVm() { next() })()'));
            forms.push(() => vm.runInThisContext('(() => { next() })()', { filename: 'my file.vm', lineOffset: 7 }));
            forms.push(require('./a b.js'));
            next();
            """;

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @MethodSource("dev.probestream.collector.internal.v8.NodeExecutables#all")
    void perfMapAndMemoryGiveOneName(Path node) throws Exception {
        Path programs = Files.createDirectory(folder.resolve("my app"));
        Files.writeString(programs.resolve("a b.js"), "module.exports = function () { next() };\n");
        Path script = Files.writeString(programs.resolve("forms.js"), FORMS);
        try (StoppedNode stopped = StoppedNode.start(
                node,
                folder,
                "--perf-basic-prof",
                "--interpreted-frames-native-stack",
                "--no-lazy-feedback-allocation",
                script.toString())) {
            Path map = Path.of("/tmp/perf-" + stopped.pid() + ".map");
            List<String> lines = Files.readAllLines(map);
            Files.delete(map);
            FunctionReader reader = new FunctionReader(stopped.heap());
            List<JavaScriptName> byMemory = new ArrayList<>();
            List<JavaScriptName> byPerfMap = new ArrayList<>();
            for (StoppedFrame frame : stopped.frames()) {
                FunctionDescription function =
                        reader.function(frame.sharedFunctionInfo()).orElseThrow();
                String name = nameOf(lines, frame.pc());
                if (function.script().isPresent() && !name.isEmpty()) {
                    JavaScriptName parsed = JavaScriptName.parse(name).orElseThrow();
                    byPerfMap.add(parsed);
                    byMemory.add(inMemory(function, parsed.column() != 0));
                }
            }
            assertThat(byPerfMap).containsExactlyElementsOf(byMemory);
            Set<String> names = new HashSet<>(
                    byMemory.stream().map(JavaScriptName::function).toList());
            assertThat(names)
                    .contains("declared", "(anonymous)", "method", "#secret", "open", "get value", "evaluated", "inVm")
                    .contains("GET /users", "/a b:1:2", "module.exports", "generator");
        }
    }

    /** Node 18 writes no columns. */
    private static JavaScriptName inMemory(FunctionDescription function, boolean hasColumn) {
        return new JavaScriptName(
                function.name().isEmpty() ? FrameText.ANONYMOUS : function.name(),
                function.script().map(Script::name).orElseThrow(),
                function.line(),
                hasColumn ? function.column() : 0);
    }

    private static String nameOf(List<String> lines, long pc) {
        String name = "";
        for (String line : lines) {
            String[] words = line.split(" ", 3);
            long start = Long.parseUnsignedLong(words[0], 16);
            if (pc > start
                    && pc <= start + Long.parseUnsignedLong(words[1], 16)
                    && words[2].matches("[A-Z][A-Za-z]+:.*")) {
                name = words[2].startsWith("Builtin") ? "" : words[2];
            }
        }
        return name;
    }
}
