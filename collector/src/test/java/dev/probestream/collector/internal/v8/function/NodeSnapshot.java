package dev.probestream.collector.internal.v8.function;

import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.MemoryImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes {@code testdata/v8/functions-MAJOR.image}: what {@link FunctionReader} reads of a stopped Node.js to name its
 * functions. Run from the module's folder, with the class path of its tests, for each node:
 *
 * <pre>java -cp ... dev.probestream.collector.internal.v8.function.NodeSnapshot NODE FILE</pre>
 */
final class NodeSnapshot {
    /** Functions of several kinds; a string of each representation is the name of one. */
    private static final String PROGRAM = """
            const forms = [];
            let step = 0;
            const next = () => step < forms.length ? forms[step++]() : stop('here');
            const long = 'a name of which V8 makes a slice'.repeat(2), cut = long.slice(3, 40), joined = cut + long;
            class Shape { #hidden() { next() } area() { this.#hidden() } get size() { return next() } static of() { next() } }
            const object = { [cut]() { next() }, [joined]() { next() }, ['日本' + step]() { next() }, plain: () => next() };
            forms.push(() => new Shape().area(), () => new Shape().size, Shape.of, ...Object.values(object));
            forms.push(new Function('x', 'globalThis.next() //# sourceURL=made.js'), async function later() { next() });
            function* generator() { next() }
            forms.push(() => [1].map(() => next()), () => generator().next());
            globalThis.next = next;
            next();
            //# sourceMappingURL=app.js.map
            """;

    private NodeSnapshot() {}

    public static void main(String[] arguments) throws Exception {
        Path node = Path.of(arguments[0]);
        Path folder = Files.createTempDirectory("snapshot");
        Path script = folder.resolve("app.js");
        Files.writeString(script, PROGRAM);
        try (StoppedNode stopped = StoppedNode.start(node, folder, script.toString())) {
            MemoryImage image = new MemoryImage();
            FunctionReader reader =
                    new FunctionReader(new HeapReader(image.recording(stopped.memory()), stopped.layout()));
            List<Long> functions = stopped.frames().stream()
                    .map(StoppedFrame::sharedFunctionInfo)
                    .distinct()
                    .filter(function -> isOurs(new FunctionReader(stopped.heap()), function, folder))
                    .toList();
            for (long function : functions) {
                Script of = reader.function(function).orElseThrow().script().orElse(null);
                if (of != null) {
                    of.sourceMappingUrl(100);
                }
            }
            image.write(Path.of(arguments[1]), node, functions);
        }
    }

    /** Of this program or of V8: the sources of Node.js are large. */
    private static boolean isOurs(FunctionReader reader, long function, Path folder) {
        return reader.function(function)
                .orElseThrow()
                .script()
                .map(script -> script.name().startsWith(folder.toString())
                        || script.name().equals("made.js"))
                .orElse(true);
    }
}
