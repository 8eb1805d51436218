package dev.probestream.collector.internal.expression;

import dev.probestream.collector.internal.expression.Expression.Kind;
import java.util.Optional;

/**
 * Parses the functions that compare texts. strcmp and strncmp are 0 if the texts are equal, as in C and bpftrace.
 * STRCMP of bcc is true if they are equal (streq in bcc's trace.py).
 */
final class TextComparisons {
    private final LineScanner line;
    private final Operand.Reader values;

    TextComparisons(LineScanner line, Operand.Reader values) {
        this.line = line;
        this.values = values;
    }

    /** Reads a call of such a function, if one follows. */
    Optional<Expression> next() {
        Token name = line.peek();
        return switch (name.kind() == Token.Kind.WORD ? name.text() : "") {
            case "STRCMP" ->
                Optional.of(new Expression(Kind.CONDITION, compare(name, false).text(), name.position()));
            case "strcmp" -> Optional.of(compare(name, false));
            case "strncmp" -> Optional.of(compare(name, true));
            default -> Optional.empty();
        };
    }

    private Expression compare(Token name, boolean isPrefix) {
        line.next();
        line.expect("(", "after " + name.text());
        Operand first = values.read();
        line.expect(",", "between the texts");
        Operand second = values.read();
        Operand literal = first.kind() == Operand.Kind.LITERAL ? first : second;
        Operand text = first.kind() == Operand.Kind.LITERAL ? second : first;
        if (literal.kind() != Operand.Kind.LITERAL || text.kind() == Operand.Kind.LITERAL) {
            throw line.failAt(name.position(), name.text() + " compares text of the probe with a \"literal\"");
        }
        Token count = line.peek();
        if (isPrefix) {
            line.expect(",", "before the number of characters");
            count = line.next();
        }
        line.expect(")", "after the arguments");
        String operand = operand(text);
        String constant = SpecSyntax.literal(line, literal);
        if (!isPrefix) {
            return new Expression(
                    Kind.COMPARISON_OF_TEXT, operand + " == " + constant, operand + " != " + constant, name.position());
        }
        if (!count.text().equals(String.valueOf(literal.source().length()))) {
            throw line.failAt(
                    count.position(),
                    "strncmp is only supported as a prefix test: the number must be the length of the literal, "
                            + literal.source().length());
        }
        String begins = operand + " ^= " + constant;
        return new Expression(Kind.COMPARISON_OF_TEXT, begins, "!(" + begins + ")", name.position());
    }

    private String operand(Operand text) {
        return switch (text.kind()) {
            case TEXT -> text.written();
            case COMM -> text.kind().word();
            case ARGUMENT, FIELD -> text.as("str").written();
            default -> throw line.failAt(text.position(), "expected text of the probe: an argument or comm");
        };
    }
}
