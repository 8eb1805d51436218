package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpanEnds;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads {@code (BEGIN -> END [by KEY, ...])}, what follows the word span of a {@link ProbeKind#PAIR}. */
final class SpanEndsParser {
    private static final Set<ProbeKind> KINDS = EnumSet.of(
            ProbeKind.UPROBE,
            ProbeKind.URETPROBE,
            ProbeKind.USDT,
            ProbeKind.USER,
            ProbeKind.TRACEPOINT,
            ProbeKind.RAWTRACEPOINT);

    /** Kinds that record all that the probe has if no arguments are listed. */
    private static final Set<ProbeKind> WITH_ALL_ARGUMENTS =
            EnumSet.of(ProbeKind.USDT, ProbeKind.USER, ProbeKind.TRACEPOINT);

    private static final String ANY_PROVIDER = "*:";

    private final SpecText text;

    SpanEndsParser(SpecText text) {
        this.text = text;
    }

    SpanEnds parse() {
        text.expect('(', "and the probe that begins the span");
        text.skipBlanks();
        int start = text.position();
        ProbeSpec begin = end();
        if (!text.takeAll("->")) {
            throw text.fail("expected '->', with a blank before it, and the probe that ends the span");
        }
        ProbeSpec end = end();
        if (isAtSamePlace(begin, end)) {
            throw text.failAt(start, "a span begins at one probe and ends at another, not both at " + name(begin));
        }
        List<String> keys = isAtBy(text) ? keys(begin, end) : List.of();
        text.expect(')', "behind the probe that ends the span");
        return new SpanEnds(begin, end, keys);
    }

    /** Whether what describes one of the two probes is over. */
    static boolean isOver(SpecText text) {
        return text.atEnd() || text.at(')') || text.startsWith("->") || isAtBy(text);
    }

    private static boolean isAtBy(SpecText text) {
        text.skipBlanks();
        int start = text.position();
        boolean isBy = text.word().equals("by");
        text.moveTo(start);
        return isBy;
    }

    /** The kernel does not run two programs of one place in an order that can be relied on. */
    private static boolean isAtSamePlace(ProbeSpec begin, ProbeSpec end) {
        return begin.kind() == end.kind()
                && begin.module().equals(end.module())
                && begin.function().equals(end.function())
                && begin.offsetBytes() == end.offsetBytes();
    }

    private static String name(ProbeSpec spec) {
        return spec.function().startsWith(ANY_PROVIDER)
                ? spec.function().substring(ANY_PROVIDER.length())
                : spec.function();
    }

    private ProbeSpec end() {
        text.skipBlanks();
        int start = text.position();
        ProbeSpec spec = new SpecParser(text, true).parse();
        if (!KINDS.contains(spec.kind())) {
            throw text.failAt(
                    start,
                    "a span begins and ends at a uprobe:, uretprobe:, usdt:, u:, tracepoint: or rawtracepoint:, not at "
                            + spec.kind().spelling());
        }
        if (spec.isGlob() && (name(spec).indexOf('*') >= 0 || name(spec).indexOf('?') >= 0)) {
            throw text.failAt(start, "a span begins at one probe and ends at one: no * and ? in their names");
        }
        return spec;
    }

    private List<String> keys(ProbeSpec begin, ProbeSpec end) {
        text.word();
        List<String> keys = new ArrayList<>();
        do {
            text.skipBlanks();
            int start = text.position();
            String key = text.word();
            if (key.isEmpty()) {
                throw text.failAt(start, "expected the name of an argument that both probes record");
            }
            if (keys.contains(key)) {
                throw text.failAt(start, key + " is a key already");
            }
            if (keys.size() == SpanEnds.MAX_KEYS) {
                throw text.failAt(start, "more than " + SpanEnds.MAX_KEYS + " keys");
            }
            check(key, begin, start);
            check(key, end, start);
            keys.add(key);
        } while (text.take(','));
        return keys;
    }

    private void check(String key, ProbeSpec spec, int position) {
        Optional<ArgumentSpec> argument = spec.arguments().stream()
                .filter(each -> each.name().equals(key))
                .findFirst();
        boolean isListed = !spec.arguments().isEmpty() || !WITH_ALL_ARGUMENTS.contains(spec.kind());
        if (argument.isEmpty() && isListed) {
            throw text.failAt(
                    position,
                    spec.text() + " records no argument " + key + ": both probes must, such as ("
                            + (key.matches("arg[0-9]+|ret") ? "" : key + "=")
                            + spec.kind().argumentExample() + ")");
        }
        if (argument.isPresent() && !isKey(argument.get().type())) {
            throw text.failAt(position, key + " of " + spec.text() + " is no integer: only integers can be keys");
        }
    }

    /** Whether a value of this type, or of one that is known only at the probe's location, may pair two hits. */
    private static boolean isKey(ArgumentType type) {
        return !type.isText() && !type.form().isFloat() && !type.form().isAddress();
    }
}
