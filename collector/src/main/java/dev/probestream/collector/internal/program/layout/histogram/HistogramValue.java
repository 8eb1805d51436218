package dev.probestream.collector.internal.program.layout.histogram;

import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.collector.probe.IntegerOperation;
import java.util.List;
import java.util.Optional;

/**
 * A number of a hit, or one computed of others.
 *
 * @param source what it is
 * @param argument of {@link Source#ARGUMENT} its index among the arguments that the programs read, else -1
 * @param number of {@link Source#NUMBER}, else 0
 * @param operation of {@link Source#COMPUTED}, else empty
 * @param operands two of {@link Source#COMPUTED}, else none
 * @param type of the number
 */
public record HistogramValue(
        Source source,
        int argument,
        long number,
        Optional<IntegerOperation> operation,
        List<HistogramValue> operands,
        ArgumentType type) {
    /** The kinds. */
    public enum Source {
        /** Hits are counted. */
        NONE,
        ARGUMENT,
        /** From entry to return of a span, in ns. */
        DURATION,
        NUMBER,
        COMPUTED
    }

    public static final HistogramValue NONE = of(Source.NONE, 0);
    public static final HistogramValue DURATION = of(Source.DURATION, 0);

    public HistogramValue {
        operands = List.copyOf(operands);
    }

    public static HistogramValue argument(int index, ArgumentType type) {
        return new HistogramValue(Source.ARGUMENT, index, 0, Optional.empty(), List.of(), type);
    }

    public static HistogramValue number(long number) {
        return of(Source.NUMBER, number);
    }

    /** Computed of two values; without a sign if one of them is of 64 bits without a sign, as in C. */
    public static HistogramValue computed(IntegerOperation operation, HistogramValue left, HistogramValue right) {
        ArgumentType type = left.isOf64BitsWithoutSign() || right.isOf64BitsWithoutSign()
                ? ArgumentType.number(Form.U64)
                : ArgumentType.S64;
        return new HistogramValue(Source.COMPUTED, -1, 0, Optional.of(operation), List.of(left, right), type);
    }

    private static HistogramValue of(Source source, long number) {
        return new HistogramValue(source, -1, number, Optional.empty(), List.of(), ArgumentType.S64);
    }

    /** Whether its highest bit is a sign. */
    public boolean isSigned() {
        return type.isSigned();
    }

    /** Whether an operation with it is one of numbers without a sign. */
    public boolean isOf64BitsWithoutSign() {
        return type.form() == Form.U64 || type.form().isPointer();
    }

    /** The bits, among those of what could not be read, of the arguments in it. */
    public long argumentBits() {
        long bits = argument < 0 ? 0 : 1L << argument;
        for (HistogramValue operand : operands) {
            bits |= operand.argumentBits();
        }
        return bits;
    }
}
