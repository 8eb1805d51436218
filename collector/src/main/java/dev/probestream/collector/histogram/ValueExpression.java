package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.IntegerOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A value computed from what a hit has: names and numbers, joined by {@code + - * / %} and parentheses.
 *
 * @param name of a value of the hit; "" for a number or an operation
 * @param number of a number; else 0
 * @param operation of the operands; empty for a name or a number
 * @param operands two of an operation, else none
 */
public record ValueExpression(
        String name, long number, Optional<IntegerOperation> operation, List<ValueExpression> operands) {
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?:(0x[0-9a-fA-F]+|[0-9]+)|([A-Za-z_][A-Za-z0-9_]*)|([-+*/%()]))");

    private static final int MAX_DEPTH = 32;

    /** Copies the operands. */
    public ValueExpression {
        operands = List.copyOf(operands);
    }

    /**
     * Reads an expression.
     *
     * @param text such as {@code (end - begin) / 1000}
     * @return its tree
     * @throws HistogramException if it is malformed, or has no value of the hit
     */
    public static ValueExpression parse(String text) {
        Parser parser = new Parser(text);
        ValueExpression expression = parser.sum(0);
        parser.expectEnd();
        if (expression.names().isEmpty()) {
            throw new HistogramException("the value '" + text + "' is a constant: name a value of the probe");
        }
        return expression;
    }

    /** {@return whether it is a name alone} */
    public boolean isName() {
        return !name.isEmpty();
    }

    /** {@return the names in it, from left to right} */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        if (isName()) {
            names.add(name);
        }
        operands.forEach(operand -> names.addAll(operand.names()));
        return names;
    }

    private static ValueExpression of(long number) {
        return new ValueExpression("", number, Optional.empty(), List.of());
    }

    private static ValueExpression of(IntegerOperation operation, ValueExpression left, ValueExpression right) {
        return new ValueExpression("", 0, Optional.of(operation), List.of(left, right));
    }

    /** Reads by recursive descent. */
    private static final class Parser {
        private final String text;
        private int at;
        private String token = "";
        private int kind;

        Parser(String text) {
            this.text = text;
            next();
        }

        ValueExpression sum(int depth) {
            ValueExpression left = product(depth);
            while (kind == 3 && (token.equals("+") || token.equals("-"))) {
                left = joined(left, () -> product(depth));
            }
            return left;
        }

        private ValueExpression product(int depth) {
            ValueExpression left = operand(depth);
            while (kind == 3
                    && IntegerOperation.ofSign(token)
                            .filter(IntegerOperation::isProduct)
                            .isPresent()) {
                left = joined(left, () -> operand(depth));
            }
            return left;
        }

        private ValueExpression joined(ValueExpression left, Supplier<ValueExpression> right) {
            IntegerOperation operation = IntegerOperation.ofSign(token).orElseThrow();
            next();
            return of(operation, left, right.get());
        }

        private ValueExpression operand(int depth) {
            if (depth > MAX_DEPTH) {
                throw fail("more than " + MAX_DEPTH + " parentheses in one another");
            }
            String read = token;
            int readKind = kind;
            next();
            if (readKind == 1) {
                return of(number(read));
            }
            if (readKind == 2) {
                return new ValueExpression(read, 0, Optional.empty(), List.of());
            }
            if (read.equals("-")) {
                return kind == 1 && token.equals("9223372036854775808")
                        ? smallest()
                        : of(IntegerOperation.SUBTRACT, of(0), operand(depth + 1));
            }
            if (!read.equals("(")) {
                throw fail("expected a name, a number or '('");
            }
            ValueExpression inner = sum(depth + 1);
            if (!token.equals(")")) {
                throw fail("expected ')' or an operation: + - * / %");
            }
            next();
            return inner;
        }

        private ValueExpression smallest() {
            next();
            return of(Long.MIN_VALUE);
        }

        private long number(String written) {
            try {
                return written.startsWith("0x")
                        ? Long.parseUnsignedLong(written.substring(2), 16)
                        : Long.parseLong(written);
            } catch (NumberFormatException e) {
                throw fail("the number " + written + " does not fit into 64 bits");
            }
        }

        void expectEnd() {
            if (kind != 0) {
                throw fail("expected + - * / % or the end, not '" + token + "'");
            }
        }

        private void next() {
            Matcher matcher = TOKEN.matcher(text).region(at, text.length());
            if (matcher.lookingAt()) {
                kind = matcher.group(1) != null ? 1 : matcher.group(2) != null ? 2 : 3;
                token = matcher.group(kind);
                at = matcher.end();
            } else if (text.substring(at).isBlank()) {
                kind = 0;
                token = "";
            } else {
                throw fail("unexpected '" + text.substring(at).strip() + "'");
            }
        }

        private HistogramException fail(String problem) {
            return new HistogramException("invalid value '" + text + "': " + problem);
        }
    }
}
