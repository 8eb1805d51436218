package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.ValueReader;
import dev.probestream.collector.dialect.Message;
import dev.probestream.collector.histogram.ValueExpression;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Probe;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the hits of one probe are printed: the layout of its arguments, and the messages of its spec. */
final class ProbeLines {
    private static final int RETURN_BIT = 63;

    /** How a number is formatted. */
    enum NumberFormat {
        SIGNED,
        UNSIGNED,
        ADDRESS,
        BOOLEAN,
        TEXT
    }

    private final Probe probe;
    private final List<Optional<Message>> messages;
    private final NumberFormat[] forms;
    /** The index of each argument among the event's numbers or strings. */
    private final int[] places;

    private final NumberFormat returnFormat;
    private final Map<String, ValueReader> computedByText = new HashMap<>();

    /** @param messages empty = every argument with its name */
    ProbeLines(Probe probe, List<Message> messages) {
        this.probe = probe;
        this.messages = messages.isEmpty()
                ? List.of(Optional.empty())
                : messages.stream().map(Optional::of).toList();
        List<Argument> arguments = probe.getArguments();
        this.forms =
                arguments.stream().map(argument -> format(argument.getType())).toArray(NumberFormat[]::new);
        this.places = new int[forms.length];
        int texts = 0;
        for (int i = 0; i < forms.length; i++) {
            places[i] = forms[i] == NumberFormat.TEXT ? texts++ : i - texts;
        }
        this.returnFormat = format(probe.getReturnType());
    }

    String name() {
        return probe.getName();
    }

    /** The messages to print at a hit, in order; an empty message prints each argument with its name. */
    List<Optional<Message>> messages() {
        return messages;
    }

    int argumentCount() {
        return forms.length;
    }

    String argumentName(int argument) {
        return probe.getArguments().get(argument).getName();
    }

    NumberFormat format(int argument) {
        return forms[argument];
    }

    boolean hasReturnValue() {
        return !probe.getReturnType().isEmpty();
    }

    NumberFormat returnFormat() {
        return returnFormat;
    }

    /** The index of the argument's number or text in the event. */
    int place(int argument) {
        return places[argument];
    }

    boolean isAvailable(Hit hit, int argument) {
        boolean isThere = forms[argument] == NumberFormat.TEXT
                ? places[argument] < hit.event.stringCount()
                : places[argument] < hit.event.numberCount();
        return isThere && (hit.event.unavailable() >>> argument & 1) == 0;
    }

    /** The reader of a computed value: {@code (arg2 - arg1) / 1000}, of the names of arguments. */
    ValueReader computed(String text) {
        ValueReader known = computedByText.get(text);
        if (known == null) {
            known = ValueReader.of(ValueExpression.parse(text), probe);
            computedByText.put(text, known);
        }
        return known;
    }

    boolean isReturnAvailable(Hit hit) {
        return (hit.event.unavailable() >>> RETURN_BIT & 1) == 0;
    }

    private static NumberFormat format(String type) {
        if (type.startsWith("str") || type.startsWith("char") || type.startsWith("gostr")) {
            return NumberFormat.TEXT;
        }
        return switch (type) {
            case "ptr" -> NumberFormat.ADDRESS;
            case "bool" -> NumberFormat.BOOLEAN;
            case "u8", "u16", "u32", "u64" -> NumberFormat.UNSIGNED;
            default -> NumberFormat.SIGNED;
        };
    }
}
