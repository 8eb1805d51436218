package dev.probestream.collector.internal.stack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/**
 * The functions in /proc/kallsyms by address. Names stay bytes of the file: 200,000 Strings would take four times the
 * memory. A function extends to the next one.
 */
final class KernelSymbols {
    static final KernelSymbols EMPTY = new KernelSymbols(new byte[0], new long[0], new int[0]);

    /** Maximum distance from a symbol to an address in its function, for the last symbol of a region. */
    private static final long MAX_FUNCTION_BYTES = 1 << 20;

    private final byte[] text;
    /** Ascending and unique. All kernel addresses are negative as longs. */
    private final long[] addresses;
    /** Offset of each name in the text. */
    private final int[] nameStarts;

    private KernelSymbols(byte[] text, long[] addresses, int[] nameStarts) {
        this.text = text;
        this.addresses = addresses;
        this.nameStarts = nameStarts;
    }

    static KernelSymbols parse(byte[] text) {
        long[] found = new long[1 << 16];
        int[] starts = new int[1 << 16];
        int count = 0;
        int lineEnd;
        for (int line = 0; line < text.length; line = lineEnd + 1) {
            lineEnd = line;
            while (lineEnd < text.length && text[lineEnd] != '\n') {
                lineEnd++;
            }
            long address = lineEnd - line > 19 && isCode(text[line + 17]) ? number(text, line) : 0;
            if (address != 0) {
                if (count == found.length) {
                    found = Arrays.copyOf(found, count * 2);
                    starts = Arrays.copyOf(starts, count * 2);
                }
                found[count] = address;
                starts[count++] = line + 19;
            }
        }
        return sorted(text, Arrays.copyOf(found, count), starts);
    }

    int count() {
        return addresses.length;
    }

    /** The function that contains the address, or "". */
    String nameOf(long address) {
        int at = Arrays.binarySearch(addresses, address);
        int last = at >= 0 ? at : -at - 2;
        if (last < 0 || address - addresses[last] > MAX_FUNCTION_BYTES) {
            return "";
        }
        int end = nameStarts[last];
        while (end < text.length && text[end] > ' ') {
            end++;
        }
        return new String(text, nameStarts[last], end - nameStarts[last], US_ASCII);
    }

    /** If several symbols have the same address, keeps the first in the text. */
    private static KernelSymbols sorted(byte[] text, long[] found, int[] starts) {
        long[] addresses = found.clone();
        Arrays.sort(addresses);
        int kept = 0;
        for (int i = 0; i < addresses.length; i++) {
            if (i == 0 || addresses[i] != addresses[i - 1]) {
                addresses[kept++] = addresses[i];
            }
        }
        addresses = Arrays.copyOf(addresses, kept);
        int[] nameStarts = new int[kept];
        for (int i = found.length - 1; i >= 0; i--) {
            nameStarts[Arrays.binarySearch(addresses, found[i])] = starts[i];
        }
        return new KernelSymbols(text, addresses, nameStarts);
    }

    private static boolean isCode(byte type) {
        return type == 't' || type == 'T' || type == 'w' || type == 'W';
    }

    /** Sixteen hexadecimal digits, or 0. */
    private static long number(byte[] text, int start) {
        long number = 0;
        for (int at = start; at < start + 16; at++) {
            int digit = Character.digit(text[at], 16);
            if (digit < 0) {
                return 0;
            }
            number = number << 4 | digit;
        }
        return number;
    }
}
