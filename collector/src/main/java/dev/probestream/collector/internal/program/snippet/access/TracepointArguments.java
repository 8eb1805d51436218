package dev.probestream.collector.internal.program.snippet.access;

import dev.probestream.bpf.tracefs.TracepointField;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.internal.resolve.CInteger;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.collector.probe.FilterOperand;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The arguments of a tracepoint's probe with the types its format declares, arrays of numbers taken apart, and where
 * each lies in the tracepoint's record.
 *
 * @param arguments none {@code DECLARED}
 * @param filter likewise
 * @param locations by the argument's field
 */
public record TracepointArguments(
        List<ArgumentSpec> arguments, Optional<Filter> filter, Map<String, FieldLocation> locations) {
    /** Longer arrays are left out where all fields are recorded. */
    private static final int MAX_ELEMENTS = 16;

    private static final int MAX_ARGUMENTS = 63;

    /**
     * One number or text of the record.
     *
     * @param kind of the field it belongs to
     * @param offsetBytes in the record
     * @param sizeBytes of the number
     * @param isSigned of the number
     */
    record FieldLocation(TracepointField.Kind kind, int offsetBytes, int sizeBytes, boolean isSigned) {}

    public TracepointArguments {
        arguments = List.copyOf(arguments);
        locations = Map.copyOf(locations);
    }

    /**
     * What the spec asks for; all fields that can be recorded when it does not say.
     *
     * @throws ProbeArgumentException when the tracepoint has no such field or the field is of another kind
     */
    public static TracepointArguments of(ProbeSpec spec, TracepointFormat format) {
        List<ArgumentSpec> arguments = new ArrayList<>();
        Map<String, FieldLocation> locations = new HashMap<>();
        for (ArgumentSpec asked : asked(spec, format)) {
            add(spec, asked, field(spec, asked, format), arguments, locations);
        }
        Optional<Filter> filter = spec.filter()
                .map(written -> written.withArguments(argument -> inFilter(spec, argument, format, locations)));
        filter.ifPresent(typed -> typed.comparisons().forEach(comparison -> checkTypes(spec, comparison)));
        return new TracepointArguments(
                arguments.subList(0, Math.min(arguments.size(), MAX_ARGUMENTS)), filter, locations);
    }

    private static TracepointField field(ProbeSpec spec, ArgumentSpec asked, TracepointFormat format) {
        return format.field(asked.source().field())
                .orElseThrow(() -> new ProbeArgumentException(
                        spec,
                        "the tracepoint has no field " + asked.source().field() + "; it has "
                                + format.fields().stream()
                                        .map(TracepointField::name)
                                        .collect(Collectors.joining(", "))));
    }

    private static ArgumentSpec inFilter(
            ProbeSpec spec, ArgumentSpec asked, TracepointFormat format, Map<String, FieldLocation> locations) {
        List<ArgumentSpec> typed = new ArrayList<>();
        add(spec, asked, field(spec, asked, format), typed, locations);
        if (typed.size() != 1) {
            throw new ProbeArgumentException(
                    spec, "the field " + asked.source().field() + " is an array of numbers, which no filter compares");
        }
        return typed.get(0);
    }

    private static void checkTypes(ProbeSpec spec, FilterComparison comparison) {
        for (FilterOperand operand : comparison.operands()) {
            operand.arguments()
                    .filter(argument -> argument.type().isText() != comparison.isOfText())
                    .findFirst()
                    .ifPresent(argument -> {
                        throw new ProbeArgumentException(
                                spec,
                                argument.type().isText()
                                        ? "the field " + argument.name()
                                                + " is text: the filter must compare it with a text in double quotes"
                                        : "the field " + argument.name()
                                                + " is a number, which the filter compares with"
                                                + " a text; of a pointer to text write " + argument.name() + ":str");
                    });
        }
    }

    private static List<ArgumentSpec> asked(ProbeSpec spec, TracepointFormat format) {
        if (!spec.arguments().isEmpty()) {
            return spec.arguments();
        }
        return format.fields().stream()
                .filter(field -> field.kind() != TracepointField.Kind.OTHER && field.elementCount() <= MAX_ELEMENTS)
                .filter(TracepointArguments::isAligned)
                .map(field -> ArgumentSpec.of(field.name(), ArgumentSource.field(field.name()), ArgumentType.DECLARED))
                .toList();
    }

    private static void add(
            ProbeSpec spec,
            ArgumentSpec asked,
            TracepointField field,
            List<ArgumentSpec> arguments,
            Map<String, FieldLocation> locations) {
        if (!isAligned(field)) {
            throw new ProbeArgumentException(spec, "the field " + field.name() + " is not aligned to its size");
        }
        switch (field.kind()) {
            case NUMBER, POINTER -> {
                arguments.add(typed(asked, field.name(), scalarType(spec, asked, field)));
                locations.put(field.name(), location(field, 0));
            }
            case NUMBERS -> {
                for (int i = 0; i < field.elementCount(); i++) {
                    String element = field.name() + "[" + i + "]";
                    ArgumentType type = number(field.elementSizeBytes(), field.isSigned());
                    arguments.add(typed(asked, asked.name() + "[" + i + "]", element, type));
                    locations.put(element, location(field, i));
                }
            }
            case CHARS, TEXT_AT_OFFSET, TEXT_BEHIND_FIELD -> {
                arguments.add(typed(asked, field.name(), textType(spec, asked, field)));
                locations.put(field.name(), location(field, 0));
            }
            case OTHER ->
                throw new ProbeArgumentException(
                        spec,
                        "the field " + field.name() + " (" + field.declaredType() + ") is neither a number nor text");
        }
    }

    private static ArgumentSpec typed(ArgumentSpec asked, String field, ArgumentType type) {
        return typed(asked, asked.name(), field, type);
    }

    private static ArgumentSpec typed(ArgumentSpec asked, String name, String field, ArgumentType type) {
        return new ArgumentSpec(
                name,
                ArgumentSource.field(field),
                0,
                asked.dereferenceOffsetsBytes(),
                type,
                false,
                asked.unit(),
                asked.flow(),
                asked.labels(),
                asked.textRule());
    }

    private static ArgumentType scalarType(ProbeSpec spec, ArgumentSpec asked, TracepointField field) {
        ArgumentType type = asked.type();
        boolean isPointer = (type.isText() && !type.form().isSocketEnd()) || asked.isDereferenced();
        if (isPointer && field.sizeBytes() != Long.BYTES) {
            throw new ProbeArgumentException(
                    spec, "the field " + field.name() + " (" + field.declaredType() + ") is no pointer");
        }
        if (type.form() != Form.DECLARED) {
            return type;
        }
        if (field.kind() == TracepointField.Kind.POINTER) {
            return ArgumentType.number(Form.PTR);
        }
        if (field.isBoolean()) {
            return ArgumentType.number(Form.BOOL);
        }
        // A system call's record keeps every argument in 8 bytes, of which an int means the lower 4.
        return CInteger.named(field.declaredType())
                .filter(declared -> declared.sizeBytes() < field.sizeBytes())
                .map(declared -> number(declared.sizeBytes(), declared.isSigned()))
                .orElseGet(() -> number(field.sizeBytes(), field.isSigned()));
    }

    private static ArgumentType textType(ProbeSpec spec, ArgumentSpec asked, TracepointField field) {
        ArgumentType type = asked.type();
        boolean isText = (type.isText() && !type.form().isAddress()) || type.form() == Form.DECLARED;
        if (!isText || asked.isDereferenced()) {
            throw new ProbeArgumentException(
                    spec, "the field " + field.name() + " (" + field.declaredType() + ") is text, no number");
        }
        if (field.kind() == TracepointField.Kind.CHARS) {
            return ArgumentType.chars(Math.min(field.sizeBytes(), ArgumentType.MAX_STRING_BYTES));
        }
        return type.form() == Form.STR ? type : ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES);
    }

    private static ArgumentType number(int sizeBytes, boolean isSigned) {
        return ArgumentType.number(
                switch (sizeBytes) {
                    case 1 -> isSigned ? Form.S8 : Form.U8;
                    case 2 -> isSigned ? Form.S16 : Form.U16;
                    case 4 -> isSigned ? Form.S32 : Form.U32;
                    default -> isSigned ? Form.S64 : Form.U64;
                });
    }

    private static FieldLocation location(TracepointField field, int element) {
        return new FieldLocation(
                field.kind(),
                field.offsetBytes() + element * field.elementSizeBytes(),
                field.elementSizeBytes(),
                field.isSigned());
    }

    /** A program may only load from its context what lies at a multiple of its size. */
    private static boolean isAligned(TracepointField field) {
        return field.kind() == TracepointField.Kind.CHARS
                || field.kind() == TracepointField.Kind.OTHER
                || field.offsetBytes() % field.elementSizeBytes() == 0;
    }
}
