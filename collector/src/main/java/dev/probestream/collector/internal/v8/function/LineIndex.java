package dev.probestream.collector.internal.v8.function;

import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import dev.probestream.collector.internal.v8.heap.HeapStrings;
import org.jspecify.annotations.Nullable;

/**
 * Where the lines of a source end, counted in its text. For each block of the text it keeps how many lines end before it
 * and where the last of them does; a question reads the text of one block.
 *
 * <p>A line ends with LF, CR, CR LF, U+2028 or U+2029, as in V8 (String::CalculateLineEnds, v8/src/objects/string.cc).
 */
final class LineIndex {
    private static final int BLOCK_CHARACTERS = 4 << 10;

    private final int length;
    /** By block: how many lines end before it. */
    private final int[] lines;
    /** By block: the position of the last line end before it; -1 if there is none. */
    private final int[] lastEnds;

    private LineIndex(int length) {
        this.length = length;
        this.lines = new int[length / BLOCK_CHARACTERS + 1];
        this.lastEnds = new int[lines.length];
    }

    static LineIndex of(HeapStrings strings, long source) throws HeapException {
        LineIndex index = new LineIndex(strings.length(source));
        Counter counter = new Counter(0, index.length, 0, -1, index);
        strings.read(source, 0, index.length, counter);
        counter.beginBlock();
        return index;
    }

    /**
     * The line and column of a character, both from 0.
     *
     * @param source the same text, which may be elsewhere now
     */
    Place placeOf(HeapStrings strings, long source, int position) throws HeapException {
        if (position > length) {
            throw new HeapException(Reason.UNEXPECTED, "a position behind the end of the source");
        }
        int block = position / BLOCK_CHARACTERS;
        int start = block * BLOCK_CHARACTERS;
        Counter counter = new Counter(start, position, lines[block], lastEnds[block], null);
        // One more, which shows whether a CR ends the line or is followed by LF.
        strings.read(source, start, Math.min(position + 1, length), counter);
        return new Place(counter.lines, position - counter.lastEnd - 1);
    }

    record Place(int line, int column) {}

    /** Counts the lines that end from {@code position} to before {@code end}. */
    private static final class Counter implements HeapStrings.Sink {
        private final int end;
        /** Receives what is known where a block begins. */
        private final @Nullable LineIndex index;

        private int position;
        private int lines;
        private int lastEnd;
        private boolean isAfterCr;

        Counter(int position, int end, int lines, int lastEnd, @Nullable LineIndex index) {
            this.position = position;
            this.end = end;
            this.lines = lines;
            this.lastEnd = lastEnd;
            this.index = index;
        }

        @Override
        public boolean accept(char[] characters, int count) {
            int next = 0;
            while (next < count) {
                if (isAfterCr && characters[next] != '\n') {
                    endLine(position - 1);
                }
                isAfterCr = false;
                beginBlock();
                if (position >= end) {
                    return false;
                }
                int leftOfBlock = Math.min(BLOCK_CHARACTERS - position % BLOCK_CHARACTERS, end - position);
                int limit = Math.min(count, next + leftOfBlock);
                int start = next;
                while (next < limit && isOrdinary(characters[next])) {
                    next++;
                }
                position += next - start;
                if (next < limit) {
                    char c = characters[next++];
                    if (c == '\n' || c == '\u2028' || c == '\u2029') {
                        endLine(position);
                    }
                    isAfterCr = c == '\r';
                    position++;
                }
            }
            return true;
        }

        /** Whether the character is certainly no end of a line. */
        private static boolean isOrdinary(char c) {
            return c > '\r' && (c & ~1) != '\u2028';
        }

        /** Where a block begins: keeps what is before it. */
        void beginBlock() {
            if (index != null && position % BLOCK_CHARACTERS == 0) {
                index.lines[position / BLOCK_CHARACTERS] = lines;
                index.lastEnds[position / BLOCK_CHARACTERS] = lastEnd;
            }
        }

        private void endLine(int at) {
            lines++;
            lastEnd = at;
        }
    }
}
