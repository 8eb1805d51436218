package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.collector.probe.FilterOperand;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ReturnSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one side of a comparison of a filter, and finds out what type it has. */
final class OperandParser {
    /** TASK_COMM_LEN of linux/sched.h without the NUL. */
    private static final int MAX_COMM_BYTES = 15;

    private static final String NO_FLOATS = "no filter compares floating-point numbers";

    private final SpecText text;
    private final ProbeKind kind;
    private final List<ArgumentSpec> recorded;
    private final Optional<ReturnSpec> result;
    private final String resultName;
    private final ValueParser values;
    private final LiteralParser literals;
    private final ComputationParser computations;

    OperandParser(
            SpecText text,
            ProbeKind kind,
            List<ArgumentSpec> recorded,
            Optional<ReturnSpec> result,
            String resultName) {
        this.text = text;
        this.kind = kind;
        this.recorded = recorded;
        this.result = result;
        this.resultName = resultName;
        this.values = new ValueParser(text, kind);
        this.literals = new LiteralParser(text);
        this.computations = new ComputationParser(text, this);
    }

    /**
     * What was read: a value whose type may depend on what it is compared with, or anything else.
     *
     * @param position where it begins
     * @param value null for what is none
     * @param other null for a value
     */
    record Operand(
            int position,
            ValueParser.@Nullable Value value,
            @Nullable FilterOperand other) {
        boolean isOfHit() {
            return other == null || other.isOfHit();
        }

        boolean isLargerThanSigned() {
            return other != null && other.kind() == FilterOperand.Kind.NUMBER && other.isUnsigned();
        }
    }

    Operand parse() {
        text.skipBlanks();
        int start = text.position();
        if (text.at('(')) {
            return new Operand(start, null, computations.parse());
        }
        return single(true);
    }

    /** A value of a computation, as a number. */
    FilterOperand ofComputation() {
        text.skipBlanks();
        int start = text.position();
        return numeric(single(false), start, false);
    }

    private Operand single(boolean mayAdd) {
        int start = text.position();
        if (text.at('"')) {
            throw text.fail("the text to compare with stands on the right: comm == \"node\"");
        }
        if (text.at('\'') || text.at('-') || text.atDigit()) {
            return new Operand(start, null, literals.number("a number"));
        }
        String word = text.word();
        boolean isName = !word.isEmpty() && !text.at('.') && !isValueContinued(mayAdd);
        Optional<FilterOperand.Kind> ofHit = FilterOperand.Kind.ofWord(word, kind);
        if (isName && ofHit.isPresent()) {
            rejectAmbiguous(word, start);
            return new Operand(start, null, FilterOperand.of(ofHit.get()));
        }
        Optional<FilterOperand> named = isName ? named(word) : Optional.empty();
        if (named.isPresent()) {
            return new Operand(start, null, named.get());
        }
        text.moveTo(start);
        if (kind == ProbeKind.PAIR) {
            throw text.fail("expected " + known());
        }
        boolean isSource = word.matches("arg[0-9]+|ret|retval")
                || ArgumentSource.ContextValue.ofWord(word).isPresent();
        if (!word.isEmpty() && kind != ProbeKind.TRACEPOINT && !isSource) {
            throw text.fail("expected " + known());
        }
        return new Operand(start, mayAdd ? values.parse() : values.parseOperand(), null);
    }

    /** Whether what was read goes on as a value of its own, so that it is a source and not a name. */
    private boolean isValueContinued(boolean mayAdd) {
        text.skipBlanks();
        return text.at(':') || text.at('@') || (mayAdd && (text.at('+') || text.at('-')));
    }

    private void rejectAmbiguous(String word, int start) {
        boolean isNamedSo = word.equals(resultName)
                || recorded.stream()
                        .anyMatch(argument -> argument.name().equals(word)
                                && !argument.source().field().equals(word));
        if (isNamedSo) {
            throw text.failAt(
                    start, word + " is what the hit itself has, and also a recorded argument: give that another name");
        }
    }

    private Optional<FilterOperand> named(String word) {
        if (result.isPresent() && word.equals(resultName)) {
            return Optional.of(FilterOperand.argument(returned(result.get().type())));
        }
        return recorded.stream()
                .filter(argument -> argument.name().equals(word))
                .filter(argument -> kind == ProbeKind.PAIR
                        || (!word.matches("arg[0-9]+")
                                && !argument.source().field().equals(word)))
                .findFirst()
                .map(argument -> FilterOperand.argument(unnamed(argument)));
    }

    private ArgumentSpec returned(ArgumentType type) {
        ArgumentSpec returned = ArgumentSpec.of("ret", ArgumentSource.RETURN_VALUE, type);
        return kind.isSpan() ? returned.readAtReturn(true) : returned;
    }

    /** The value alone: filters on the same value are equal, whatever it is called. */
    private static ArgumentSpec unnamed(ArgumentSpec argument) {
        return argument.undescribed().named(ValueParser.defaultName(argument.source()));
    }

    private String known() {
        StringBuilder known = new StringBuilder(kind.filterExample());
        known.append(known.length() == 0 ? "" : ", ").append("pid, tid, comm, cpu, uid, a number");
        if (!recorded.isEmpty() || result.isPresent()) {
            known.append(" or a recorded argument:");
            recorded.forEach(argument -> known.append(' ').append(argument.name()));
            known.append(resultName.isEmpty() ? "" : " " + resultName);
        }
        return known.toString();
    }

    /**
     * The operand as a number.
     *
     * @param isUnsigned whether a value without any type has none that is negative, for the number it meets has 64 bits
     */
    FilterOperand numeric(Operand operand, int signPosition, boolean isUnsigned) {
        FilterOperand numeric = operand.value() == null
                ? Objects.requireNonNull(operand.other())
                : value(operand.value(), false, isUnsigned);
        boolean isText = numeric.kind() == FilterOperand.Kind.COMM
                || numeric.argument().filter(value -> value.type().isText()).isPresent();
        if (numeric.argument().filter(value -> value.type().form().isFloat()).isPresent()) {
            throw text.failAt(operand.position(), NO_FLOATS);
        }
        if (isText) {
            throw text.failAt(
                    signPosition,
                    "text is compared with == \"…\", != \"…\" or ^= \"…\"; as a number it is written :ptr");
        }
        return numeric;
    }

    /** The operand as a text; what has no type points to one. */
    FilterOperand textual(Operand operand) {
        FilterOperand textual =
                operand.value() == null ? Objects.requireNonNull(operand.other()) : value(operand.value(), true, false);
        if (textual.argument().filter(value -> value.type().form().isAddress()).isPresent()) {
            throw text.failAt(
                    operand.position(), "the address of a socket is text only in the recording: no filter compares it");
        }
        if (textual.argument().filter(value -> value.type().form().isFloat()).isPresent()) {
            throw text.failAt(operand.position(), NO_FLOATS);
        }
        boolean isText = textual.kind() == FilterOperand.Kind.COMM
                || textual.argument()
                        .filter(value -> value.type().isText() || value.type().equals(ArgumentType.DECLARED))
                        .isPresent();
        if (!isText) {
            throw text.failAt(operand.position(), "only text compares with a text: give a pointer the type :str");
        }
        return textual;
    }

    private FilterOperand value(ValueParser.Value value, boolean isText, boolean isUnsigned) {
        ArgumentType type = value.type()
                .or(() -> recordedType(value, isText))
                .orElseGet(() -> typeInFilter(value, isText, isUnsigned));
        boolean atReturn = value.source().kind() == ArgumentSource.Kind.RETURN_VALUE ? kind.isSpan() : value.atReturn();
        String name = value.source().kind() == ArgumentSource.Kind.RETURN_VALUE
                ? "ret"
                : ValueParser.defaultName(value.source());
        return FilterOperand.argument(value.named(name, type, atReturn));
    }

    /** A value without a type has the one it is recorded with, if that is of the kind that is compared. */
    private Optional<ArgumentType> recordedType(ValueParser.Value value, boolean isText) {
        if (!value.isPlain()) {
            return Optional.empty();
        }
        if (value.source().kind() == ArgumentSource.Kind.RETURN_VALUE) {
            return result.map(ReturnSpec::type).filter(type -> type.isText() == isText);
        }
        return recorded.stream()
                .filter(argument -> argument.source().equals(value.source())
                        && argument.atReturn() == value.atReturn()
                        && argument.addend() == 0
                        && !argument.isDereferenced()
                        && argument.type().isText() == isText)
                .map(ArgumentSpec::type)
                .findFirst();
    }

    private ArgumentType typeInFilter(ValueParser.Value value, boolean isText, boolean isUnsigned) {
        if (isText && value.source().kind() != ArgumentSource.Kind.FIELD) {
            return ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES);
        }
        ArgumentType type = values.defaultType(value);
        return isUnsigned && type.equals(ArgumentType.S64) ? ArgumentType.number(ArgumentType.Form.U64) : type;
    }

    FilterOperand number(String what) {
        return literals.number(what);
    }

    FilterOperand literal(FilterOperand compared, FilterComparison.Sign sign) {
        int start = text.position();
        FilterOperand literal = literals.text();
        int sizeBytes = literal.text().getBytes(StandardCharsets.UTF_8).length;
        if (compared.kind() == FilterOperand.Kind.COMM && sizeBytes > MAX_COMM_BYTES) {
            throw text.failAt(
                    start,
                    "the name of a thread has at most " + MAX_COMM_BYTES + " bytes, this " + sizeBytes
                            + (sign == FilterComparison.Sign.BEGINS_WITH ? "" : ": the kernel cuts what is longer"));
        }
        return literal;
    }
}
