package dev.probestream.collector.probe.parse;

import java.util.regex.Pattern;

/**
 * Distinguishes the parameters of a C++ function, {@code ns::f(int, char const*) const}, from the list of arguments to
 * record. Parameters follow the name without a blank. They are none, or the first has a type that no argument looks
 * like.
 */
final class SignatureParser {
    private static final Pattern ARGUMENT =
            Pattern.compile("\\s*(?:\\*|[A-Za-z_]\\w*\\s*=|(?:arg\\d+|ret|retval)\\b).*", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile(
            "\\s*|.*(?:\\b(?:void|bool|char|short|int|long|float|double|signed|unsigned|const|auto|\\w+_t|wchar_t)\\b|::|[*&<]).*",
            Pattern.DOTALL);

    private final SpecText text;

    SignatureParser(SpecText text) {
        this.text = text;
    }

    /** Reads the parameters with their parentheses; "" if arguments follow. */
    String parse(String function) {
        int start = text.position();
        text.take('(');
        int depth = 1;
        StringBuilder inside = new StringBuilder();
        while (depth > 0 && !text.atEnd()) {
            String run = text.run(c -> c != '(' && c != ')');
            inside.append(run);
            if (text.take('(')) {
                depth++;
                inside.append('(');
            } else if (text.take(')') && --depth > 0) {
                inside.append(')');
            }
        }
        String first = inside.toString().split(",", 2)[0];
        boolean isType = TYPE.matcher(first).matches() || function.contains("::");
        if (depth > 0 || ARGUMENT.matcher(first).matches() || !isType) {
            text.moveTo(start);
            return "";
        }
        int end = text.position();
        text.skipBlanks();
        if (text.word().equals("const")) {
            return "(" + inside + ") const";
        }
        text.moveTo(end);
        return "(" + inside + ")";
    }
}
