package dev.probestream.collector.internal.v8.function;

import dev.probestream.collector.internal.v8.heap.HeapStrings;
import java.util.Optional;

/**
 * A script of a running process: a file, a module of Node.js, or the text of an eval. It is read from the memory on
 * demand; what was read before {@link FunctionReader#forget} stays valid, later queries have no result.
 *
 * <p>For the thread of its {@link FunctionReader}.
 */
public final class Script {
    private final FunctionReader reader;
    private final ScriptLines lines;
    private final int generation;
    private final long address;
    private final int id;
    private final String name;

    Script(FunctionReader reader, ScriptLines lines, int generation, long address, int id, String name) {
        this.reader = reader;
        this.lines = lines;
        this.generation = generation;
        this.address = address;
        this.id = id;
        this.name = name;
    }

    /**
     * As {@code Error.stack} shows it: the name in {@code //# sourceURL=}, a path (CommonJS), a URL (modules), {@code
     * node:fs}, {@code evalmachine.<anonymous>}; {@code <anonymous>} for an eval.
     */
    public String name() {
        return name;
    }

    /** Of its isolate: a worker thread counts its own. */
    public int id() {
        return id;
    }

    /** Tagged. */
    long address() {
        return address;
    }

    /** The number of calls of {@link FunctionReader#forget} before this was read. */
    int generation() {
        return generation;
    }

    /**
     * The line and column of a character of the source, with the offset at which the script begins in its file; empty where
     * they cannot be read.
     */
    public Optional<SourcePosition> positionOf(int sourcePosition) {
        return reader.ask(this, FunctionReader.SOURCE_BUDGET, () -> lines.positionOf(sourcePosition));
    }

    /**
     * What stands in {@code //# sourceMappingURL=}, a file name or a data URL; empty where there is none, and where it is
     * longer than {@code maxCharacters}.
     */
    public Optional<String> sourceMappingUrl(int maxCharacters) {
        return reader.ask(this, FunctionReader.SOURCE_BUDGET, () -> reader.sourceMappingUrl(this, maxCharacters))
                .filter(url -> !url.isEmpty());
    }

    /** How many characters the source has; 0 where it cannot be read. */
    public int sourceLength() {
        return reader.ask(this, FunctionReader.SOURCE_BUDGET, lines::sourceLength)
                .orElse(0);
    }

    /**
     * Passes characters {@code from} to before {@code to} of the source on piece by piece, so that a large one takes no
     * memory.
     *
     * @return false if it could not be read to its end, or to that of the range
     */
    public boolean readSource(int from, int to, HeapStrings.Sink sink) {
        return reader.ask(this, FunctionReader.SOURCE_BUDGET, () -> lines.readSource(from, to, sink))
                .orElse(false);
    }

    @Override
    public String toString() {
        return name;
    }
}
