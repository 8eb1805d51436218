package dev.probestream.cli.live;

import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.ValueExpression;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.util.Arrays;
import java.util.List;

/** Reads a number of an event: an argument, what was returned, the duration, or what is computed of them. */
public final class ValueReader {
    private static final int RETURN_BIT = 63;

    private final ValueExpression expression;
    private final Source source;
    /** The index among the arguments, which is that of the bit of those that could not be read. */
    private final int argument;
    /** The index among the event's numbers. */
    private final int place;

    private final ArgumentType type;
    private final List<ValueReader> operands;

    private enum Source {
        ARGUMENT,
        RETURNED,
        DURATION,
        NUMBER,
        COMPUTED
    }

    private ValueReader(
            ValueExpression expression,
            Source source,
            int argument,
            int place,
            ArgumentType type,
            List<ValueReader> operands) {
        this.expression = expression;
        this.source = source;
        this.argument = argument;
        this.place = place;
        this.type = type;
        this.operands = operands;
    }

    /**
     * The reader of an expression's value in the events of a probe.
     *
     * @throws HistogramException if the probe has no such value, or it is no integer
     */
    public static ValueReader of(ValueExpression expression, Probe probe) {
        if (expression.isName()) {
            return named(expression, probe);
        }
        List<ValueReader> operands = expression.operands().stream()
                .map(operand -> of(operand, probe))
                .toList();
        boolean isUnsigned = operands.stream().anyMatch(operand -> operand.isUnsigned());
        ArgumentType type = ArgumentType.number(isUnsigned ? Form.U64 : Form.S64);
        Source source = operands.isEmpty() ? Source.NUMBER : Source.COMPUTED;
        return new ValueReader(expression, source, -1, -1, type, operands);
    }

    private static ValueReader named(ValueExpression expression, Probe probe) {
        String name = expression.name();
        int texts = 0;
        for (int i = 0; i < probe.getArguments().size(); i++) {
            ArgumentType type = type(probe.getArguments().get(i).getType());
            if (probe.getArguments().get(i).getName().equals(name)) {
                if (type.isText()) {
                    throw new HistogramException(name + " of " + probe.getSpec() + " is text, not an integer");
                }
                return new ValueReader(expression, Source.ARGUMENT, i, i - texts, type, List.of());
            }
            texts += type.isText() ? 1 : 0;
        }
        if (name.equals(HistogramSpec.RET) && !probe.getReturnType().isEmpty()) {
            return new ValueReader(expression, Source.RETURNED, RETURN_BIT, -1, type(probe.getReturnType()), List.of());
        }
        if (name.equals(HistogramSpec.DURATION) && probe.getKind() == EventKind.SPAN) {
            return new ValueReader(expression, Source.DURATION, -1, -1, ArgumentType.S64, List.of());
        }
        throw new HistogramException(probe.getSpec() + " has no value " + name);
    }

    /** The type by its name in a Probe record. */
    public static ArgumentType type(String recordName) {
        return Arrays.stream(Form.values())
                .filter(form -> form.name().equalsIgnoreCase(recordName) && form != Form.STR)
                .findFirst()
                .map(ArgumentType::number)
                .orElse(ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES));
    }

    /** Whether it has 64 bits and no sign. */
    public boolean isUnsigned() {
        return type.form() == Form.U64 || type.form() == Form.PTR;
    }

    /** Whether all that it needs could be read. */
    public boolean isReadable(EventView event) {
        if (argument >= 0 && (event.unavailable() >>> argument & 1) != 0) {
            return false;
        }
        for (int i = 0; i < operands.size(); i++) {
            if (!operands.get(i).isReadable(event)) {
                return false;
            }
        }
        return source != Source.ARGUMENT || place < event.numberCount();
    }

    /** The value's bits. */
    public long value(EventView event) {
        return switch (source) {
            case ARGUMENT -> event.number(place);
            case RETURNED -> event.returnValue();
            case DURATION -> event.durationNs();
            case NUMBER -> expression.number();
            case COMPUTED ->
                expression
                        .operation()
                        .orElseThrow()
                        .of(operands.get(0).value(event), operands.get(1).value(event), isUnsigned());
        };
    }
}
