package dev.probestream.collector.internal.expression;

import dev.probestream.collector.probe.IntegerOperation;
import java.util.Optional;
import java.util.function.Function;

/**
 * Translates a computed value in the syntax of C: + - * / % and parentheses. The result is the text of a {@link
 * dev.probestream.collector.histogram.ValueExpression}.
 */
public final class ValueTranslator {
    private final LineScanner line;
    private final Operand.Reader values;
    private final Function<Operand, String> names;
    private boolean hasValue;

    /** @param names gives the name of a value of the probe; throws what it refuses */
    public ValueTranslator(LineScanner line, Operand.Reader values, Function<Operand, String> names) {
        this.line = line;
        this.values = values;
        this.names = names;
    }

    /** Translates the value at the current position, up to its end. */
    public String translate() {
        int start = line.peek().position();
        String translated = sum();
        if (!hasValue) {
            throw line.failAt(start, "the value is a constant: name a value of the probe");
        }
        return translated;
    }

    private String sum() {
        String left = product();
        while (line.peek().is("+") || line.peek().is("-")) {
            left = left + " " + line.next().text() + " " + product();
        }
        return left;
    }

    private String product() {
        String left = operand();
        Optional<IntegerOperation> operation = operation();
        while (operation.filter(IntegerOperation::isProduct).isPresent()) {
            left = left + " " + line.next().text() + " " + operand();
            operation = operation();
        }
        return left;
    }

    private Optional<IntegerOperation> operation() {
        Token next = line.peek();
        return next.kind() == Token.Kind.SIGN ? IntegerOperation.ofSign(next.text()) : Optional.empty();
    }

    private String operand() {
        Token token = line.peek();
        if (!token.is("(") || TypeNames.isNext(line)) {
            return value(values.read());
        }
        line.next();
        line.enter(token);
        String inner = sum();
        line.leave();
        line.expect(")", "or + - * / %");
        return "(" + inner + ")";
    }

    private String value(Operand value) {
        if (value.kind() == Operand.Kind.NUMBER) {
            return value.number() < 0 ? "(" + value.number() + ")" : String.valueOf(value.number());
        }
        hasValue = true;
        return names.apply(value);
    }
}
