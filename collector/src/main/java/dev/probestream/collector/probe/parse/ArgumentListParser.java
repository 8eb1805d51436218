package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ReturnSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the list of arguments of a spec, what follows the opening parenthesis. */
final class ArgumentListParser {
    /** The bits of {@code Event.unavailable}, of which the last is the returned value's. */
    private static final int MAX_ARGUMENTS = 63;

    private final SpecText text;
    private final ProbeKind kind;
    private final ValueParser values;
    private final List<ArgumentSpec> arguments = new ArrayList<>();
    private Optional<ReturnSpec> result = Optional.empty();
    private String resultName = "";

    ArgumentListParser(SpecText text, ProbeKind kind) {
        this.text = text;
        this.kind = kind;
        this.values = new ValueParser(text, kind);
    }

    List<ArgumentSpec> arguments() {
        return arguments;
    }

    Optional<ReturnSpec> result() {
        return result;
    }

    /** What the returned value is called; "" when it is not recorded. */
    String resultName() {
        return resultName;
    }

    void parse() {
        if (!kind.takesArguments()) {
            throw text.failAt(text.position() - 1, kind.spelling() + " takes no arguments");
        }
        if (text.take(')')) {
            return;
        }
        do {
            argument();
        } while (text.take(','));
        text.expect(')', "or ',' after an argument");
    }

    private void argument() {
        text.skipBlanks();
        int start = text.position();
        String name = text.word();
        if (name.isEmpty() || !text.take('=')) {
            name = "";
            text.moveTo(start);
        }
        ValueParser.Value value = values.parse();
        String shownName = name.isEmpty() ? ValueParser.defaultName(value.source()) : name;
        ArgumentType type = value.type().orElseGet(() -> values.defaultType(value));
        boolean isReturned = value.source().kind() == ArgumentSource.Kind.RETURN_VALUE;
        if (isReturned && value.dereferenceOffsetsBytes().isEmpty() && !type.isText()) {
            result(start, shownName, value.addend(), type);
            return;
        }
        boolean atReturn = isReturned ? kind.isSpan() : value.atReturn();
        add(start, value.named(shownName, type, atReturn));
    }

    private void add(int start, ArgumentSpec argument) {
        if (arguments.stream().anyMatch(other -> other.name().equals(argument.name()))) {
            throw text.failAt(start, "a second argument is called " + argument.name());
        }
        if (arguments.size() == MAX_ARGUMENTS) {
            throw text.failAt(start, "more than " + MAX_ARGUMENTS + " arguments");
        }
        arguments.add(argument);
    }

    private void result(int start, String name, long addend, ArgumentType type) {
        if (result.isPresent()) {
            throw text.failAt(start, "the returned value is recorded already");
        }
        if (addend != 0) {
            throw text.failAt(start, "the returned value is recorded as it is: nothing can be added to it");
        }
        result = Optional.of(new ReturnSpec(type, ""));
        resultName = name;
    }
}
