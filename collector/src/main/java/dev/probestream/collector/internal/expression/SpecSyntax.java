package dev.probestream.collector.internal.expression;

/** Writes names and literals in the syntax of probe specs. */
public final class SpecSyntax {
    private SpecSyntax() {}

    /** A literal in quotes. */
    public static String literal(LineScanner line, Operand literal) {
        String text = literal.source();
        if (text.chars().anyMatch(c -> c == '"' || c == '\\' || c < ' ')) {
            throw line.failAt(
                    literal.position(),
                    "comparing text with quotes, backslashes or control characters is not supported");
        }
        return '"' + text + '"';
    }

    /** A name or path, in quotes if it contains a character that ends a name. */
    public static String name(String name) {
        String withoutNamespaces = name.replace("::", "");
        boolean isPlain = withoutNamespaces.chars().noneMatch(c -> "([+:".indexOf(c) >= 0 || Character.isWhitespace(c));
        return isPlain ? name : '"' + name + '"';
    }
}
