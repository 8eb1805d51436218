package dev.probestream.bpf.usdt;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Splits the argument text of a note into arguments. White space inside of brackets or quotes belongs to the argument
 * ({@code 8@[sp, 12]}), unless what follows can only be the next one: so an unclosed bracket affects one argument, not
 * all.
 */
final class ArgumentSplitter {
    private static final Pattern START = Pattern.compile("-?\\d{1,3}f?@");

    private ArgumentSplitter() {}

    static List<String> split(String text) {
        List<String> arguments = new ArrayList<>();
        int start = 0;
        int depth = 0;
        boolean isQuoted = false;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            switch (c) {
                case '"' -> isQuoted = !isQuoted;
                case '(', '[' -> depth++;
                case ')', ']' -> depth--;
                default -> {
                    if (isSpace(c) && ((depth <= 0 && !isQuoted) || isStart(text, at + 1))) {
                        add(arguments, text.substring(start, at));
                        start = at + 1;
                        depth = 0;
                        isQuoted = false;
                    }
                }
            }
        }
        add(arguments, text.substring(start));
        return arguments;
    }

    private static boolean isStart(String text, int at) {
        return START.matcher(text).region(at, text.length()).lookingAt();
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }

    private static void add(List<String> arguments, String argument) {
        if (!argument.isEmpty()) {
            arguments.add(argument);
        }
    }
}
