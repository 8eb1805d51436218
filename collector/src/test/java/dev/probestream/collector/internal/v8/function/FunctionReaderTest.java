package dev.probestream.collector.internal.v8.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names read from memory, beside those that V8 itself writes into its perf map. */
class FunctionReaderTest {
    /** Each form calls the next; the last stops. Lines end with CR LF here and there. */
    private static final String FORMS = """
            const vm = require('vm');
            const path = require('path');
            let step = 0;
            const forms = [];
            const next = () => step < forms.length ? forms[step++]() : step++ === forms.length && stop('here');
            function declared() { next() }\r\n\
            forms.push(declared);\r\n\
            const arrow = () => { next() };
            forms.push(arrow, () => { next() }, function () { next() }, function named() { next(); return named });
            class Base {
              constructor() { next() }
              method() { next() }
              static still() { next() }
              #secret() { next() }
              open() { this.#secret() }
              get value() { return next() }
              set value(v) { next() }
              ['computed' + 1]() { next() }
              [Symbol.iterator]() { next() }
              field = (() => { if (step === 12) next() })();
              static *generator() { next() }
              async promised() { next() }
            }
            class Derived extends Base { constructor() { super() } }
            class Implicit extends Base {}
            forms.push(() => new Base(), () => new Derived(), () => new Implicit(), () => Base.prototype.method());
            forms.push(() => Base.still(), () => new Base().open(), () => Base.prototype.value);
            forms.push(() => { Base.prototype.value = 1 }, () => Base.prototype.computed1());
            forms.push(() => Base.prototype[Symbol.iterator](), () => Base.generator().next());
            forms.push(() => Base.prototype.promised(), async () => { next() });
            const object = { short() { next() }, long: function () { next() }, 'a-b c': () => { next() } };
            object.assigned = function () { next() };
            object.deep = { er: () => next() };
            forms.push(object.short, object.long, object['a-b c'], object.assigned, object.deep.er);
            let ünï = function () { next() };
            forms.push(ünï, /* \u65e5\u672c<LS> */ () => { next() });
            forms.push(() => [1].map(function each() { next() }), () => [3, 1].sort(() => { if (step < 40) next(); return 0 }));
            forms.push(() => JSON.parse('{"a":1}', (k, v) => { if (k) next(); return v }));
            forms.push(() => 'x'.replace(/x/, () => { next(); return '' }), () => Reflect.construct(function Made() { next() }, []));
            forms.push(() => new Proxy({}, { get() { next() } }).trapped, () => declared.call(null), () => declared.bind(null)());
            globalThis.next = next;
            forms.push(new Function('a', 'b', 'next() // made'), () => eval('(function evaluated() { next() })()'));
            forms.push(() => (0, eval)('next()\\n//# sourceURL=of-eval.js'));
            forms.push(() => new vm.Script('\\n  function inScript() { next() }; inScript()',
              { filename: '/made/up.js', lineOffset: 10, columnOffset: 7 }).runInThisContext());
            forms.push(() => vm.runInThisContext('(function () { next() })()', { filename: 'at.js', columnOffset: 20 }));
            forms.push(() => vm.runInThisContext('(() => next())()'));
            forms.push(vm.compileFunction('function within() { next() }; within()', ['x'], { filename: 'compiled.js' }));
            const text = '// ü\\n'.repeat(9) + '(function pieced() { next() })()';
            forms.push(() => (0, eval)(text.slice(5)), () => (0, eval)(text + ' // 日本'), () => (0, eval)('\\r' + text));
            forms.push(require(path.join(__dirname, 'many.js')));
            let deep = 0;
            forms.push(function recursive() { deep++ < 3 ? recursive() : next() });
            (function iife() { next() })();
            import('./module.mjs');
            """;

    @TempDir
    Path folder;

    private static final String MODULE = """
            import { createRequire } from 'node:module';
            const local = createRequire(import.meta.url)('fs').existsSync('/');
            export default function exported() { return [local].map(one => one && stop('in a module')) }
            class Initial { static { exported() } }
            //# sourceMappingURL=module.mjs.map
            """;

    @ParameterizedTest
    @MethodSource("dev.probestream.collector.internal.v8.NodeExecutables#all")
    void eachFunctionIsNamedAsInThePerfMapOfV8(Path node) throws Exception {
        Path script = writePrograms();
        try (StoppedNode stopped = StoppedNode.start(
                node,
                folder,
                "--perf-basic-prof",
                "--interpreted-frames-native-stack",
                "--no-lazy-feedback-allocation",
                script.toString())) {
            Path file = Path.of("/tmp/perf-" + stopped.pid() + ".map");
            FunctionReader reader = new FunctionReader(stopped.heap());
            assertThat(comparedWithPerfMap(stopped, reader, file)).isGreaterThan(90);
            assertThat(describe(stopped, reader))
                    .as("named by its sourceURL")
                    .anySatisfy(function -> assertThat(function.toString()).contains("of-eval.js"))
                    .as("an eval")
                    .anySatisfy(function -> assertThat(function.name()).isEqualTo("evaluated"))
                    .as("a function of V8 itself")
                    .anySatisfy(function -> {
                        assertThat(function.name()).isEqualTo("sort");
                        assertThat(function.script()).isEmpty();
                    });

            stopped.next();
            assertThat(stopped.line()).isEqualTo("in a module");
            reader.forget();
            assertThat(comparedWithPerfMap(stopped, reader, file)).isGreaterThan(3);
            Files.delete(file);
            Script module = describe(stopped, reader).stream()
                    .filter(function -> function.name().equals("exported"))
                    .findFirst()
                    .orElseThrow()
                    .script()
                    .orElseThrow();
            assertThat(module.name())
                    .isEqualTo(folder.toRealPath().resolve("module.mjs").toUri().toString());
            assertThat(module.sourceMappingUrl(100)).contains("module.mjs.map");
            assertThat(module.sourceMappingUrl(5)).isEmpty();
            assertThat(module.positionOf(MODULE.indexOf("Initial"))).contains(new SourcePosition(4, 7));

            reader.forget();
            assertThat(module.positionOf(0))
                    .as("of a script that was forgotten")
                    .isEmpty();
        }
    }

    /** V8 makes its line ends for the perf map; without one, lines are counted in the source. */
    @ParameterizedTest
    @MethodSource("dev.probestream.collector.internal.v8.NodeExecutables#all")
    void countedLinesAreThoseThatV8Keeps(Path node) throws Exception {
        Path script = writePrograms();
        List<List<String>> runs = new ArrayList<>();
        List<Boolean> keepsLineEnds = new ArrayList<>();
        for (String option : List.of("--no-perf-basic-prof", "--perf-basic-prof")) {
            try (StoppedNode stopped = StoppedNode.start(node, folder, option, script.toString())) {
                Files.deleteIfExists(Path.of("/tmp/perf-" + stopped.pid() + ".map"));
                runs.add(describe(stopped, new FunctionReader(stopped.heap())).stream()
                        .filter(function -> function.script()
                                .filter(of -> !of.name().startsWith("node:"))
                                .isPresent())
                        .map(FunctionReaderTest::asInPerfMap)
                        .toList());
                keepsLineEnds.add(stopped.frames().stream().anyMatch(frame -> keepsLineEnds(stopped.heap(), frame)));
            }
        }
        assertThat(keepsLineEnds).containsExactly(false, true);
        assertThat(runs.get(0)).hasSizeGreaterThan(90).isEqualTo(runs.get(1));
    }

    private static boolean keepsLineEnds(HeapReader heap, StoppedFrame frame) {
        try {
            long script = heap.pointer(
                    frame.sharedFunctionInfo(), heap.layout().sharedFunctions().script());
            return heap.is(script, heap.layout().types().script())
                    && heap.is(
                            heap.word(script, heap.layout().scripts().lineEnds()),
                            heap.layout().types().fixedArray());
        } catch (HeapException e) {
            throw new IllegalStateException(e);
        }
    }

    /** While coverage is taken, V8 12 and later keep the script where it is; earlier a DebugInfo is in its place. */
    @ParameterizedTest
    @MethodSource("dev.probestream.collector.internal.v8.NodeExecutables#all")
    void functionsHaveNamesWhileCoverageIsTaken(Path node) throws Exception {
        Path script = folder.resolve("covered.js");
        Files.writeString(script, """
                const session = new (require('inspector').Session)();
                session.connect();
                session.post('Profiler.enable');
                session.post('Profiler.startPreciseCoverage', { detailed: true, callCount: true });
                require('vm').runInThisContext('\\n\\nfunction covered(n) { n ? covered(n - 1) : stop("here") }',
                  { filename: 'covered-script.js' });
                covered(3);
                """);
        try (StoppedNode stopped = StoppedNode.start(node, folder, script.toString())) {
            FunctionReader reader = new FunctionReader(stopped.heap());
            assertThat(describe(stopped, reader))
                    .filteredOn(function -> function.name().equals("covered"))
                    .hasSize(4)
                    .allSatisfy(function -> {
                        assertThat(function.script().orElseThrow().name()).isEqualTo("covered-script.js");
                        assertThat(function.line()).isEqualTo(3);
                        assertThat(function.column()).isEqualTo(17);
                    });
            if (!stopped.layout().version().isAtLeast(12, 0)) {
                assertThat(stopped.frames())
                        .anyMatch(frame -> typeOfScript(stopped.heap(), frame)
                                == stopped.layout().types().debugInfo());
            }
        }
    }

    private static int typeOfScript(HeapReader heap, StoppedFrame frame) {
        try {
            int script = heap.layout().sharedFunctions().script();
            return heap.instanceType(heap.pointer(frame.sharedFunctionInfo(), script));
        } catch (HeapException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<FunctionDescription> describe(StoppedNode stopped, FunctionReader reader) throws Exception {
        return stopped.frames().stream()
                .map(frame -> reader.function(frame.sharedFunctionInfo()).orElseThrow())
                .toList();
    }

    /** How many frames were compared; those without a line in the perf map are builtins. */
    private static int comparedWithPerfMap(StoppedNode stopped, FunctionReader reader, Path file) throws Exception {
        List<MappedCode> map = MappedCode.read(file);
        // The perf map of Node 18 has no columns.
        boolean hasColumns = stopped.layout().version().isAtLeast(11, 0);
        List<String> differences = new ArrayList<>();
        int compared = 0;
        for (StoppedFrame frame : stopped.frames()) {
            String found = reader.function(frame.sharedFunctionInfo())
                    .map(FunctionReaderTest::asInPerfMap)
                    .map(name -> hasColumns ? name : name.replaceFirst(":[0-9]+$", ""))
                    .orElse("nothing");
            List<String> expected = map.stream()
                    .filter(code -> code.covers(frame.pc()))
                    .map(MappedCode::function)
                    .toList();
            if (!expected.isEmpty()) {
                compared++;
                // Its perf map has the class or nothing for what Error.stack calls an initializer.
                if (!expected.get(expected.size() - 1).equals(found) && !found.contains("_initializer>")) {
                    differences.add(expected.get(expected.size() - 1) + " != " + found);
                }
            }
        }
        assertThat(differences).isEmpty();
        assertThat(reader.failures()).isEmpty();
        return compared;
    }

    private Path writePrograms() throws IOException {
        Path script = folder.resolve("forms.js");
        Files.writeString(folder.resolve("module.mjs"), MODULE);
        Files.writeString(script, FORMS.replace("<LS>", "\u2028"));
        // A scope with more locals than are kept in the ScopeInfo, and a source of several blocks, in one-byte
        // characters.
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            many.append("let v")
                    .append(i)
                    .append(" = ")
                    .append(i)
                    .append("; // ")
                    .append("-".repeat(500))
                    .append('\n');
        }
        many.append("module.exports = function usesMany() {");
        for (int i = 0; i < 100; i++) {
            many.append("let w").append(i).append(" = v").append(i).append(';');
        }
        many.append(" (() => { eval('w1 + w99'); next() })() };\n");
        Files.writeString(folder.resolve("many.js"), many);
        return script;
    }

    /** The name in sourceURL is not in the perf map, nor is the name that Error.stack gives an eval. */
    private static String asInPerfMap(FunctionDescription function) {
        String file = function.script().map(Script::name).orElse("");
        if (file.equals("<anonymous>") || file.equals("of-eval.js")) {
            file = "";
        }
        return function.name() + " " + file + ":" + function.line() + ":" + function.column();
    }

    /** A line of a perf map that is about JavaScript. */
    private record MappedCode(long start, long size, String function) {
        static List<MappedCode> read(Path file) throws IOException {
            List<MappedCode> found = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                String[] words = line.split(" ", 3);
                if (words[2].matches("(JS|LazyCompile|Function|Script|Eval):.*")) {
                    found.add(new MappedCode(
                            Long.parseUnsignedLong(words[0], 16),
                            Long.parseUnsignedLong(words[1], 16),
                            words[2].replaceFirst("^[A-Za-z]+:[~*^+']?", "")));
                }
            }
            return found;
        }

        boolean covers(long pc) {
            return pc > start && pc <= start + size;
        }
    }
}
