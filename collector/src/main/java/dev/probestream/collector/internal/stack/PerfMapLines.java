package dev.probestream.collector.internal.stack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/** Parses lines {@code START SIZE NAME} of a perf map and skips malformed lines. */
final class PerfMapLines {
    /** V8 writes no longer names (CodeEventLogger::NameBuffer). The file and the line are at the end of a name. */
    private static final int MAX_NAME_BYTES = 4096;

    private static final int NO_DIGIT = -1;

    private PerfMapLines() {}

    /** Adds the complete lines to {@code names} and returns their length in bytes. */
    static int read(ByteBuffer lines, RangeNames names) {
        int lineStart = 0;
        for (int at = 0; at < lines.limit(); at++) {
            if (lines.get(at) == '\n') {
                readLine(lines, lineStart, at, names);
                lineStart = at + 1;
            }
        }
        return lineStart;
    }

    private static void readLine(ByteBuffer lines, int lineStart, int lineEnd, RangeNames names) {
        int sizeStart = blankAfterNumber(lines, lineStart, lineEnd) + 1;
        int nameStart = sizeStart == 0 ? 0 : blankAfterNumber(lines, sizeStart, lineEnd) + 1;
        if (nameStart == 0) {
            return;
        }
        long start = number(lines, lineStart, sizeStart - 1);
        long end = start + number(lines, sizeStart, nameStart - 1);
        if (start >= 0 && end > start) {
            byte[] name = new byte[Math.min(lineEnd - nameStart, MAX_NAME_BYTES)];
            lines.get(nameStart, name);
            names.put(start, end, new String(name, UTF_8).stripTrailing());
        }
    }

    /** Index of the blank after a number; -1 if there is none. */
    private static int blankAfterNumber(ByteBuffer lines, int start, int end) {
        int at = digitsStart(lines, start, end);
        int first = at;
        while (at < end && digit(lines.get(at)) != NO_DIGIT) {
            at++;
        }
        return at > first && at - first <= 16 && at < end && lines.get(at) == ' ' ? at : -1;
    }

    private static long number(ByteBuffer lines, int start, int end) {
        long number = 0;
        for (int at = digitsStart(lines, start, end); at < end; at++) {
            number = number << 4 | digit(lines.get(at));
        }
        return number;
    }

    /** Some run-times write 0x before the digits. */
    private static int digitsStart(ByteBuffer lines, int start, int end) {
        return start + 1 < end && lines.get(start) == '0' && lines.get(start + 1) == 'x' ? start + 2 : start;
    }

    private static int digit(byte character) {
        return Character.digit(character, 16);
    }
}
