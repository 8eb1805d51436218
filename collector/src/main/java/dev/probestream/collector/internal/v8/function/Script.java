package dev.probestream.collector.internal.v8.function;

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
    private final String name;

    Script(FunctionReader reader, ScriptLines lines, int generation, long address, String name) {
        this.reader = reader;
        this.lines = lines;
        this.generation = generation;
        this.address = address;
        this.name = name;
    }

    /**
     * As {@code Error.stack} shows it: the name in {@code //# sourceURL=}, a path (CommonJS), a URL (modules), {@code
     * node:fs}, {@code evalmachine.<anonymous>}; {@code <anonymous>} for an eval.
     */
    public String name() {
        return name;
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

    @Override
    public String toString() {
        return name;
    }
}
