package dev.probestream.collector.internal.sourcemap;

import java.util.Arrays;

/**
 * Decodes the field {@code mappings}: lines end with {@code ;}, stretches with {@code ,}. A stretch is 1, 4 or 5 numbers:
 *
 * <pre>
 *   column of the script, source, line of the source, column of the source, name
 * </pre>
 *
 * Each is the difference to the one before in the field, the column of the script to that in the line. A number is in
 * base 64, 5 bits to a character, the lowest first; 32 is set if more follow, and the lowest bit of all is the sign.
 */
final class Mappings {
    private static final int FIELDS = 5;
    private static final int MAX_BITS = 32;
    private static final int MORE = 32;
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    private static final byte[] VALUES = new byte[128];

    static {
        Arrays.fill(VALUES, (byte) -1);
        for (int i = 0; i < DIGITS.length(); i++) {
            VALUES[DIGITS.charAt(i)] = (byte) i;
        }
    }

    private final SourceMap.Builder map;
    private final int firstSource;
    private final int firstColumn;
    /** Of the five fields, the values of the last stretch. */
    private final long[] values = new long[FIELDS];

    private final int firstLine;
    private long position;
    private int line;
    private int fields;
    private long number;
    private int bits;

    /**
     * @param map to which the stretches are added
     * @param firstSource what is added to the numbers of sources
     * @param firstLine the line of the script where the field begins, from 0
     * @param firstColumn where in that line
     */
    Mappings(SourceMap.Builder map, int firstSource, int firstLine, int firstColumn) throws SourceMapException {
        this.map = map;
        this.firstSource = firstSource;
        this.firstLine = firstLine;
        this.firstColumn = firstColumn;
        if (firstLine < map.line()) {
            throw new SourceMapException("its sections are not in order");
        }
        map.moveToLine(firstLine);
    }

    /** Decodes the next part of the field. */
    void add(char[] text, int from, int length) throws SourceMapException {
        for (int i = from; i < from + length; i++) {
            char character = text[i];
            position++;
            if (character == ',') {
                endStretch();
            } else if (character == ';') {
                endStretch();
                values[0] = 0;
                line++;
                map.moveToLine(firstLine + line);
            } else {
                digit(character);
            }
        }
    }

    /** At the end of the field. */
    void end() throws SourceMapException {
        endStretch();
    }

    private void digit(char character) throws SourceMapException {
        int value = character < VALUES.length ? VALUES[character] : -1;
        if (value < 0 || bits > MAX_BITS || fields == FIELDS) {
            throw malformed();
        }
        number |= (long) (value & (MORE - 1)) << bits;
        bits += 5;
        if ((value & MORE) == 0) {
            values[fields] += (number & 1) == 0 ? number >> 1 : -(number >> 1);
            if (values[fields] < 0 || values[fields] >= Integer.MAX_VALUE) {
                throw malformed();
            }
            fields++;
            number = 0;
            bits = 0;
        }
    }

    private void endStretch() throws SourceMapException {
        if (bits != 0 || fields == 2 || fields == 3) {
            throw malformed();
        }
        if (fields > 0) {
            long column = values[0] + (line == 0 ? firstColumn : 0);
            long source = values[1] + firstSource;
            if (column > Integer.MAX_VALUE || source > Integer.MAX_VALUE) {
                throw malformed();
            }
            if (fields == 1) {
                map.addUnmapped((int) column);
            } else {
                map.add((int) column, (int) source, (int) values[2]);
            }
        }
        fields = 0;
    }

    private SourceMapException malformed() {
        return new SourceMapException("character " + position + " of its mappings is wrong");
    }
}
