package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

/** A name in which {@code *} stands for any bytes and {@code ?} for one. */
public final class Glob implements FunctionNames.Matcher {
    private final byte[] pattern;
    private final boolean namesCopies;

    /**
     * Compiles a pattern.
     *
     * @param pattern with {@code *} for any text and {@code ?} for any character
     */
    public Glob(String pattern) {
        this.pattern = pattern.getBytes(UTF_8);
        this.namesCopies = pattern.indexOf('.') >= 0;
    }

    /**
     * {@return whether the pattern matches the whole text, compiler copies included}
     *
     * @param text what to read
     */
    public boolean matches(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return matchesBytes(bytes, 0, bytes.length);
    }

    /** Whether the pattern matches the whole name; a {@link CompilerCopy} matches only a pattern with a dot. */
    @Override
    public boolean matches(byte[] strings, int start) {
        if (!startsLiterally(strings, start)) {
            return false;
        }
        int end = SymbolTable.nameEnd(strings, start);
        return matchesBytes(strings, start, end) && (namesCopies || !CompilerCopy.isNamed(strings, start, end));
    }

    /** Compares up to the first wildcard: enough to refuse nearly every name. */
    private boolean startsLiterally(byte[] strings, int start) {
        for (int i = 0; i < pattern.length && pattern[i] != '*' && pattern[i] != '?'; i++) {
            if (start + i >= strings.length || strings[start + i] != pattern[i]) {
                return false;
            }
        }
        return true;
    }

    boolean matchesBytes(byte[] bytes, int start, int end) {
        int at = start;
        int inPattern = 0;
        int afterStar = -1;
        int starAt = -1;
        while (at < end) {
            if (inPattern < pattern.length && pattern[inPattern] == '*') {
                afterStar = ++inPattern;
                starAt = at;
            } else if (inPattern < pattern.length && (pattern[inPattern] == '?' || pattern[inPattern] == bytes[at])) {
                inPattern++;
                at++;
            } else if (afterStar >= 0) {
                inPattern = afterStar;
                at = ++starAt;
            } else {
                return false;
            }
        }
        while (inPattern < pattern.length && pattern[inPattern] == '*') {
            inPattern++;
        }
        return inPattern == pattern.length;
    }
}
