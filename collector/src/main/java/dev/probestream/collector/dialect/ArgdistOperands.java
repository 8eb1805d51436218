package dev.probestream.collector.dialect;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Operand.Kind;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.TypeNames;
import java.util.HashMap;
import java.util.Map;

/** The operands of bcc's argdist: those of bcc's trace, and on a return probe values of the function's entry. */
final class ArgdistOperands implements Operand.Reader {
    private final LineScanner line;
    private final boolean isReturn;
    private final Parameters parameters;
    private final BccOperands others;
    /** Names of parameters by their source. */
    private final Map<String, String> names = new HashMap<>();

    private String returnType = "";
    private boolean isOfEntry;

    /** @param isReturn whether the probe is on the return of a function */
    ArgdistOperands(LineScanner line, boolean isReturn, Parameters parameters) {
        this.line = line;
        this.isReturn = isReturn;
        this.parameters = parameters;
        this.others = new BccOperands(line, parameters);
    }

    /** Whether a value of the function's entry was read, so that entry and return must be paired. */
    boolean isOfEntry() {
        return isOfEntry;
    }

    /** Sets the type of $retval for the operands that follow. */
    void returnedAs(String type) {
        returnType = type.startsWith("str") ? "" : type;
    }

    /** The name of an argument: that in the signature, else as written. */
    String nameOf(Operand argument) {
        return names.getOrDefault(argument.source(), argument.source());
    }

    @Override
    public Operand read() {
        Token token = line.peek();
        if (TypeNames.isNext(line)) {
            return cast();
        }
        if (token.kind() != Token.Kind.WORD) {
            return others.read();
        }
        return switch (token.text()) {
            case "$retval", "retval" -> returned(line.next());
            case "$latency" -> latency(line.next());
            case "$entry" -> entry(line.next());
            case "$PID" -> Operand.builtin(Kind.PID, line.next().position());
            case "$TID" -> Operand.builtin(Kind.TID, line.next().position());
            case "$COMM" -> Operand.builtin(Kind.COMM, line.next().position());
            default -> other(token);
        };
    }

    private Operand cast() {
        int position = line.peek().position();
        line.next();
        String type = TypeNames.read(line).orElse("s64");
        line.expect(")", "after the type");
        Operand value = read();
        if (value.kind() != Kind.ARGUMENT) {
            throw line.failAt(position, "only parameters, argN and $retval can be cast");
        }
        return type.equals("ptr") ? value : value.as(type);
    }

    private Operand returned(Token word) {
        if (!isReturn) {
            throw line.failAt(word.position(), word.text() + " is only supported with r:");
        }
        return Operand.argument("ret", returnType, word.position());
    }

    private Operand latency(Token word) {
        if (!isReturn) {
            throw line.failAt(word.position(), "$latency is only supported with r:");
        }
        isOfEntry = true;
        return Operand.field(HistogramSpec.DURATION, word.position());
    }

    private Operand entry(Token word) {
        if (!isReturn) {
            throw line.failAt(
                    word.position(), "$entry is only supported with r:; for p: use the parameter's name alone");
        }
        line.expect("(", "after $entry");
        Token name = line.next();
        Operand parameter = parameters.named(name);
        if (parameter == null) {
            throw line.failAt(name.position(), "the signature has no parameter " + name.shown());
        }
        line.expect(")", "after the parameter");
        isOfEntry = true;
        names.put(parameter.source(), name.text());
        return parameter;
    }

    private Operand other(Token word) {
        Operand parameter = parameters.named(word);
        if (isReturn && (parameter != null || word.text().matches("arg[0-9]+"))) {
            throw line.failAt(
                    word.position(),
                    "parameters are not available when the function returns: use $entry(NAME) for the value at its"
                            + " entry");
        }
        if (parameter != null) {
            names.put(parameter.source(), word.text());
        }
        return others.read();
    }
}
