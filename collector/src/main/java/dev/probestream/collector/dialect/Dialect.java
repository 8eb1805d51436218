package dev.probestream.collector.dialect;

import java.util.Set;
import java.util.regex.Pattern;

/** The syntax of a line. */
enum Dialect {
    SPEC,
    BCC,
    BPFTRACE;

    private static final Set<String> SPEC_KINDS = Set.of(
            "uprobe",
            "uretprobe",
            "span",
            "usdt",
            "usdtspan",
            "tracepoint",
            "rawtracepoint",
            "syscall",
            "sys_exit",
            "profile",
            "kprobe",
            "kretprobe",
            "kspan");
    private static final Set<String> SPEC_SETS = Set.of("syscalls", "sched", "signals");
    /** Matches a condition, but not a list of arguments. */
    private static final Pattern CONDITION = Pattern.compile("==|!|<|>|&|\\|\\||(?i:strcmp)");

    static Dialect of(String line) {
        if (line.matches("(?s)\\s*(#!|//|/\\*).*")) {
            return BPFTRACE;
        }
        String code = withoutLiterals(line);
        if (code.indexOf('{') >= 0) {
            return BPFTRACE;
        }
        String first = firstWord(code.strip());
        String rest = code.strip().substring(first.length());
        boolean isSpan = first.equals("span") && rest.stripLeading().startsWith("(");
        if ((SPEC_KINDS.contains(first) && rest.startsWith(":")) || isSpan || SPEC_SETS.contains(first)) {
            return SPEC;
        }
        if (first.matches("[ut]") && rest.startsWith(":")) {
            boolean isBcc = isOfBcc(rest, line.strip().substring(first.length()));
            return isBcc || (first.equals("t") && rest.length() == blank(rest)) ? BCC : SPEC;
        }
        return BCC;
    }

    /**
     * Probe specs and bcc's lines can begin in the same way with u: and t:. A bcc line continues with a condition, a format,
     * or both.
     */
    private static boolean isOfBcc(String code, String written) {
        int blank = blank(code);
        String rest = code.substring(blank).strip();
        if (rest.startsWith("\"")) {
            return true;
        }
        if (!rest.startsWith("(")) {
            return false;
        }
        int close = rest.lastIndexOf(')');
        return close < 0
                || CONDITION.matcher(rest.substring(0, close)).find()
                || rest.substring(close + 1).strip().startsWith("\"")
                || written.substring(blank).matches("(?s).*(?i:strcmp).*");
    }

    private static int blank(String code) {
        for (int i = 0; i < code.length(); i++) {
            if (Character.isWhitespace(code.charAt(i)) || code.charAt(i) == '(') {
                return i;
            }
        }
        return code.length();
    }

    private static String firstWord(String code) {
        int end = 0;
        while (end < code.length() && (Character.isLetter(code.charAt(end)) || code.charAt(end) == '_')) {
            end++;
        }
        return code.substring(0, end);
    }

    /** Replaces every character inside double quotes with a blank; positions stay the same. */
    private static String withoutLiterals(String line) {
        StringBuilder code = new StringBuilder(line);
        boolean isInside = false;
        for (int i = 0; i < code.length(); i++) {
            char c = line.charAt(i);
            if (isInside && c == '\\' && i + 1 < line.length()) {
                code.setCharAt(i, ' ');
                code.setCharAt(++i, ' ');
            } else if (c == '"') {
                isInside = !isInside;
            } else if (isInside) {
                code.setCharAt(i, ' ');
            }
        }
        return code.toString();
    }
}
