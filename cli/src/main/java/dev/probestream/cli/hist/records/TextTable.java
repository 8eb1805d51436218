package dev.probestream.cli.hist.records;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers texts, from 0. A text that is known allocates nothing. */
final class TextTable {
    private final int maxTexts;
    private final List<byte[]> texts = new ArrayList<>();
    private final Map<String, Integer> numberByString = new HashMap<>();
    /** Open addressing: the number of a text plus 1; 0 = free. A power of two, at most half full. */
    private int[] slots = new int[64];

    TextTable(int maxTexts) {
        this.maxTexts = maxTexts;
    }

    /** The number of a text in UTF-8, which is added if it is new; -1 if it is new and there is no room. */
    int number(byte[] buffer, int offset, int lengthBytes) {
        int slot = slot(buffer, offset, lengthBytes);
        if (slots[slot] != 0) {
            return slots[slot] - 1;
        }
        if (texts.size() == maxTexts) {
            return -1;
        }
        texts.add(Arrays.copyOfRange(buffer, offset, offset + lengthBytes));
        slots[slot] = texts.size();
        if (2 * texts.size() > slots.length) {
            grow();
        }
        return texts.size() - 1;
    }

    /** The same of a text that is the same object for all hits of a thread. */
    int number(String text) {
        Integer known = numberByString.get(text);
        if (known != null) {
            return known;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int number = number(bytes, 0, bytes.length);
        if (number >= 0) {
            numberByString.put(text, number);
        }
        return number;
    }

    String text(int number) {
        return new String(texts.get(number), StandardCharsets.UTF_8);
    }

    private int slot(byte[] buffer, int offset, int lengthBytes) {
        int slot = hash(buffer, offset, lengthBytes) & (slots.length - 1);
        while (slots[slot] != 0) {
            byte[] text = texts.get(slots[slot] - 1);
            if (Arrays.equals(text, 0, text.length, buffer, offset, offset + lengthBytes)) {
                return slot;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private void grow() {
        slots = new int[2 * slots.length];
        for (int number = 0; number < texts.size(); number++) {
            byte[] text = texts.get(number);
            int slot = hash(text, 0, text.length) & (slots.length - 1);
            while (slots[slot] != 0) {
                slot = (slot + 1) & (slots.length - 1);
            }
            slots[slot] = number + 1;
        }
    }

    private static int hash(byte[] buffer, int offset, int lengthBytes) {
        int hash = 0;
        for (int i = offset; i < offset + lengthBytes; i++) {
            hash = 31 * hash + buffer[i];
        }
        return (hash * 0x9e3779b9) >>> 7;
    }
}
