package dev.probestream.collector.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one probe spec; {@link ProbeSpec} has the grammar. */
final class SpecParser {
    private static final String KINDS =
            "uprobe:, uretprobe:, span:, usdt:, u:, tracepoint:, rawtracepoint:, syscalls or sched (or the name of a probe set)";

    /** What design.md's whole grammar has and this version has not. */
    private static final Map<String, String> NOT_YET = Map.of(
            "kprobe", "kernel functions",
            "kretprobe", "kernel functions",
            "kspan", "kernel functions");

    private final SpecText text;

    SpecParser(String text) {
        this.text = new SpecText(text);
    }

    ProbeSpec parse() {
        ProbeKind kind = kind();
        Place place = place(kind);
        List<ArgumentSpec> arguments = List.of();
        Optional<ReturnSpec> result = Optional.empty();
        String resultName = "";
        boolean seenArguments = false;
        SpecFlags flags = new SpecFlags(text, kind);
        text.skipBlanks();
        while (!text.atEnd()) {
            int start = text.position();
            if (text.take('(')) {
                if (seenArguments) {
                    throw text.failAt(start, "a second list of arguments");
                }
                seenArguments = true;
                ArgumentListParser list = new ArgumentListParser(text, kind);
                list.parse();
                arguments = list.arguments();
                result = list.result();
                resultName = list.resultName();
            } else if (text.take('[')) {
                flags.parse();
            } else if (text.at('/')) {
                throw text.fail("a /filter/ is not supported in this version");
            } else {
                throw text.fail("expected '(' arguments, '[' flags or the end of the spec");
            }
            text.skipBlanks();
        }
        if (flags.isCounter()) {
            arguments = counterArguments(arguments, result, resultName, flags.counterPosition());
            result = Optional.empty();
        }
        return new ProbeSpec(
                kind,
                text.text(),
                place.module,
                place.function,
                place.isGlob,
                place.offsetBytes,
                arguments,
                result,
                Optional.empty(),
                flags.stack(),
                flags.isCounter(),
                flags.isPastCheck(),
                "",
                ProbeSpec.USER_CATEGORY,
                false);
    }

    /** A counter's values are its numbers, a returned value among them. */
    private List<ArgumentSpec> counterArguments(
            List<ArgumentSpec> arguments, Optional<ReturnSpec> result, String resultName, int position) {
        List<ArgumentSpec> numbers = new ArrayList<>(arguments);
        result.ifPresent(
                returned -> numbers.add(ArgumentSpec.of(resultName, ArgumentSource.RETURN_VALUE, returned.type())));
        if (numbers.isEmpty()
                || numbers.stream().anyMatch(argument -> argument.type().isText())) {
            throw text.failAt(position, "a [counter] needs arguments, and only numbers: its values");
        }
        return numbers;
    }

    private ProbeKind kind() {
        text.skipBlanks();
        int start = text.position();
        String word = text.word();
        if (NOT_YET.containsKey(word) && text.at(':')) {
            throw text.failAt(start, NOT_YET.get(word) + " (" + word + ":) are not supported in this version");
        }
        ProbeKind kind = ProbeKind.ofSpelling(word)
                .orElseThrow(() -> text.failAt(start, "expected the kind of the probe: " + KINDS));
        if (kind != ProbeKind.SYSCALLS && kind != ProbeKind.SCHED) {
            text.expect(':', "after " + word);
        }
        return kind;
    }

    private record Place(String module, String function, boolean isGlob, long offsetBytes) {
        static Place of(String module, String function) {
            return new Place(module, function, isGlob(function), 0);
        }

        static boolean isGlob(String name) {
            return name.indexOf('*') >= 0 || name.indexOf('?') >= 0;
        }
    }

    private Place place(ProbeKind kind) {
        return switch (kind) {
            case UPROBE, URETPROBE, SPAN, USER -> userFunction(kind);
            case USDT -> usdt();
            case TRACEPOINT -> {
                String category = eventWord("the tracepoint's category, e.g. sched");
                text.expect(':', "between the tracepoint's category and its event");
                yield Place.of(category, eventWord("the tracepoint's event, e.g. sched_switch"));
            }
            case RAWTRACEPOINT -> Place.of("", eventWord("the raw tracepoint, e.g. sched_switch"));
            case SYSCALLS, SCHED -> Place.of("", "");
        };
    }

    private String eventWord(String what) {
        text.skipBlanks();
        String word = text.run(c -> Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '*' || c == '?');
        if (word.isEmpty()) {
            throw text.fail("expected " + what);
        }
        return word;
    }

    private Place userFunction(ProbeKind kind) {
        String module = "";
        if (!text.take(':')) {
            int start = text.position();
            String first = name("the path of a file or the name of a function", true);
            if (text.at(':') && !isQualifiedName(first)) {
                text.take(':');
                module = first;
            } else {
                text.moveTo(start);
            }
        }
        text.skipBlanks();
        boolean quoted = text.at('"');
        String function = name("the name of a function", false);
        boolean isGlob = !quoted && Place.isGlob(function);
        return new Place(module, function, isGlob, offset(kind, isGlob));
    }

    /** {@code PROVIDER:NAME}, {@code PATH:PROVIDER:NAME}, or with any provider {@code /PATH:NAME}. */
    private Place usdt() {
        String first = name("a provider, or the path of a file", true);
        text.expect(':', "between the provider and the name of the probe");
        String second = name("the name of a probe", true);
        if (text.take(':')) {
            return Place.of(first, second + ":" + name("the name of a probe", true));
        }
        boolean isPath = first.indexOf('/') >= 0;
        return isPath ? Place.of(first, "*:" + second) : Place.of("", first + ":" + second);
    }

    /** A C++ name such as v8::internal::Heap is no path followed by a function. */
    private boolean isQualifiedName(String first) {
        return first.indexOf('/') < 0 && text.rest().startsWith("::");
    }

    private String name(String what, boolean untilColon) {
        text.skipBlanks();
        int start = text.position();
        if (text.take('"')) {
            String quoted = text.run(c -> c != '"');
            text.expect('"', "at the end of the quoted name");
            if (quoted.isEmpty()) {
                throw text.failAt(start, "expected " + what);
            }
            return quoted;
        }
        String stops = untilColon ? ":([\"+" : "/([\"+";
        String word = text.run(c -> stops.indexOf(c) < 0 && !Character.isWhitespace(c));
        if (word.isEmpty()) {
            throw text.failAt(start, "expected " + what);
        }
        return word;
    }

    private long offset(ProbeKind kind, boolean isGlob) {
        int start = text.position();
        if (!text.take('+')) {
            return 0;
        }
        if (kind != ProbeKind.UPROBE) {
            throw text.failAt(start, "an offset makes sense for uprobe: only");
        }
        if (isGlob) {
            throw text.failAt(start, "an offset needs the name of one function, without * and ?");
        }
        return text.number("the offset in the function in bytes");
    }
}
