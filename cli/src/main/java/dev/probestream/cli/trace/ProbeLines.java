package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.collector.dialect.Message;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Probe;
import java.util.List;
import java.util.Optional;

/** How the hits of one probe are printed: the probe's record made ready, and the messages that its line asked for. */
final class ProbeLines {
    private static final int RETURN_BIT = 63;

    /** How a number of this type is shown. */
    enum Form {
        SIGNED,
        UNSIGNED,
        ADDRESS,
        BOOLEAN,
        TEXT
    }

    private final Probe probe;
    private final List<Optional<Message>> messages;
    private final Form[] forms;
    /** Of each argument its place among the event's numbers or strings. */
    private final int[] places;

    private final Form returnForm;

    /** @param messages empty = every argument with its name */
    ProbeLines(Probe probe, List<Message> messages) {
        this.probe = probe;
        this.messages = messages.isEmpty()
                ? List.of(Optional.empty())
                : messages.stream().map(Optional::of).toList();
        List<Argument> arguments = probe.getArguments();
        this.forms =
                arguments.stream().map(argument -> form(argument.getType())).toArray(Form[]::new);
        this.places = new int[forms.length];
        int texts = 0;
        for (int i = 0; i < forms.length; i++) {
            places[i] = forms[i] == Form.TEXT ? texts++ : i - texts;
        }
        this.returnForm = form(probe.getReturnType());
    }

    String name() {
        return probe.getName();
    }

    /** What is printed at a hit, one after the other; an empty message is every argument with its name. */
    List<Optional<Message>> messages() {
        return messages;
    }

    int argumentCount() {
        return forms.length;
    }

    String argumentName(int argument) {
        return probe.getArguments().get(argument).getName();
    }

    Form form(int argument) {
        return forms[argument];
    }

    boolean hasReturnValue() {
        return !probe.getReturnType().isEmpty();
    }

    Form returnForm() {
        return returnForm;
    }

    /** Where the argument's number or text is in the event. */
    int place(int argument) {
        return places[argument];
    }

    boolean isAvailable(Hit hit, int argument) {
        boolean isThere = forms[argument] == Form.TEXT
                ? places[argument] < hit.event.stringCount()
                : places[argument] < hit.event.numberCount();
        return isThere && (hit.event.unavailable() >>> argument & 1) == 0;
    }

    boolean isReturnAvailable(Hit hit) {
        return (hit.event.unavailable() >>> RETURN_BIT & 1) == 0;
    }

    private static Form form(String type) {
        if (type.startsWith("str") || type.startsWith("char") || type.startsWith("gostr")) {
            return Form.TEXT;
        }
        return switch (type) {
            case "ptr" -> Form.ADDRESS;
            case "bool" -> Form.BOOLEAN;
            case "u8", "u16", "u32", "u64" -> Form.UNSIGNED;
            default -> Form.SIGNED;
        };
    }
}
