package dev.probestream.collector.internal.sourcemap;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Where each stretch of a script came from. A stretch reaches from its column to the next one of its line; stretches that
 * came from the same line are one, and names are not kept, so a place takes 12 bytes.
 */
final class SourceMap {
    /** A stretch that came from no source. */
    private static final int NO_SOURCE = -1;

    private final List<String> sources;
    /** By line, from 0: the index of its first stretch; one more at the end. */
    private final int[] firstOfLine;

    private final int[] columns;
    private final int[] sourceOf;
    private final int[] sourceLines;

    private SourceMap(List<String> sources, int[] firstOfLine, int[] columns, int[] sourceOf, int[] sourceLines) {
        this.sources = sources;
        this.firstOfLine = firstOfLine;
        this.columns = columns;
        this.sourceOf = sourceOf;
        this.sourceLines = sourceLines;
    }

    /**
     * The place that a place of the script came from; empty if the map does not contain it.
     *
     * @param line from 1
     * @param column from 1
     */
    Optional<SourceLocation> locate(int line, int column) {
        if (line < 1 || line >= firstOfLine.length || column < 1) {
            return Optional.empty();
        }
        int first = firstOfLine[line - 1];
        int found = Arrays.binarySearch(columns, first, firstOfLine[line], column - 1);
        int stretch = found >= 0 ? found : -found - 2;
        if (stretch < first || sourceOf[stretch] == NO_SOURCE) {
            return Optional.empty();
        }
        String source = sources.get(sourceOf[stretch]);
        return source.isEmpty() ? Optional.empty() : Optional.of(new SourceLocation(source, sourceLines[stretch] + 1));
    }

    /** About how many bytes of memory it takes. */
    long sizeBytes() {
        return 4L * firstOfLine.length
                + 12L * columns.length
                + sources.stream()
                        .mapToLong(source -> 48 + 2L * source.length())
                        .sum();
    }

    /** Takes the stretches in the order of the script. */
    static final class Builder {
        /**
         * While a map is read, a stretch takes up to 36 bytes. A script of 50 MB has about 3 million; where the memory of
         * this process is less than 512 MB, fewer are read.
         */
        static final int MAX_STRETCHES =
                (int) Math.min(4 << 20, Runtime.getRuntime().maxMemory() / 128);

        static final int MAX_LINES = 4 << 20;

        private int[] firstOfLine = new int[16];
        private int[] columns = new int[16];
        private int[] sourceOf = new int[16];
        private int[] sourceLines = new int[16];
        private int lines = 1;
        private int stretches;
        private int lastColumn;
        private boolean isLineUnordered;

        /** The line to which stretches are added, from 0. */
        int line() {
            return lines - 1;
        }

        /** Ends lines until this one is the last, from 0. */
        void moveToLine(int line) throws SourceMapException {
            if (line >= MAX_LINES) {
                throw new SourceMapException("it has more than " + MAX_LINES + " lines");
            }
            while (lines <= line) {
                if (lines == firstOfLine.length) {
                    firstOfLine = Arrays.copyOf(firstOfLine, lines * 2);
                }
                firstOfLine[lines++] = stretches;
                lastColumn = 0;
                isLineUnordered = false;
            }
        }

        /** A stretch that came from no source. */
        void addUnmapped(int column) throws SourceMapException {
            add(column, NO_SOURCE, 0);
        }

        /** A line whose columns are not in ascending order is left out: stretches before may have been joined. */
        void add(int column, int source, int sourceLine) throws SourceMapException {
            int first = firstOfLine[lines - 1];
            if (isLineUnordered || column < lastColumn) {
                isLineUnordered = true;
                stretches = first;
                return;
            }
            lastColumn = column;
            if (stretches > first && column == columns[stretches - 1]) {
                stretches--; // the later one counts
            }
            if (stretches > first && sourceOf[stretches - 1] == source && sourceLines[stretches - 1] == sourceLine) {
                return;
            }
            if (stretches == MAX_STRETCHES) {
                throw new SourceMapException("it has more than " + MAX_STRETCHES + " places");
            }
            if (stretches == columns.length) {
                columns = Arrays.copyOf(columns, stretches * 2);
                sourceOf = Arrays.copyOf(sourceOf, stretches * 2);
                sourceLines = Arrays.copyOf(sourceLines, stretches * 2);
            }
            columns[stretches] = column;
            sourceOf[stretches] = source;
            sourceLines[stretches++] = sourceLine;
        }

        /**
         * @param sources by their number
         * @throws SourceMapException if a stretch has another one
         */
        SourceMap build(List<String> sources) throws SourceMapException {
            for (int i = 0; i < stretches; i++) {
                if (sourceOf[i] >= sources.size()) {
                    throw new SourceMapException("a place has source " + sourceOf[i] + " of " + sources.size());
                }
            }
            int[] firsts = Arrays.copyOf(firstOfLine, lines + 1);
            firsts[lines] = stretches;
            return new SourceMap(
                    List.copyOf(sources),
                    firsts,
                    Arrays.copyOf(columns, stretches),
                    Arrays.copyOf(sourceOf, stretches),
                    Arrays.copyOf(sourceLines, stretches));
        }
    }
}
