package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.collector.probe.SpanEnds;
import dev.probestream.collector.probe.StackSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Parses probe specs and filters; {@link ProbeSpec} has the grammar. */
public final class SpecParser {
    private static final String KINDS =
            "uprobe:, uretprobe:, span:, span(, usdt:, usdtspan:, u:, tracepoint:, rawtracepoint:, syscall:, profile:, syscalls, sched or signals (or the name of a probe set)";

    /** What design.md's whole grammar has and this version has not. */
    private static final Map<String, String> NOT_YET = Map.of(
            "kprobe", "kernel functions",
            "kretprobe", "kernel functions",
            "kspan", "kernel functions");

    private final SpecText text;
    /** Whether the spec is one of the two of a {@link ProbeKind#PAIR}, and ends where {@link SpanEndsParser} goes on. */
    private final boolean isEnd;

    SpecParser(SpecText text, boolean isEnd) {
        this.text = text;
        this.isEnd = isEnd;
    }

    /**
     * Parses a spec that a user wrote; its category is {@link PresetTraits#USER_CATEGORY}.
     *
     * @param text in the grammar of {@link ProbeSpec}
     * @return the spec; nothing is looked up yet
     * @throws SpecSyntaxException when it cannot be understood, with the position
     */
    public static ProbeSpec parse(String text) {
        return new SpecParser(new SpecText(text), false).parse();
    }

    /**
     * Parses a filter without its slashes, for a probe that is parsed already.
     *
     * @param text the filter
     * @param spec the probe, whose arguments the filter may name
     * @return the filter
     * @throws SpecSyntaxException when it cannot be understood, with the position
     */
    public static Filter parseFilter(String text, ProbeSpec spec) {
        SpecText filter = new SpecText(text);
        Filter parsed = new FilterParser(filter, spec.kind(), spec.arguments(), spec.result(), "").parse();
        filter.skipBlanks();
        if (!filter.atEnd()) {
            throw filter.fail("expected && or || or the end of the filter");
        }
        return parsed;
    }

    ProbeSpec parse() {
        text.skipBlanks();
        int specPosition = text.position();
        ProbeKind kind = kind();
        Optional<SpanEnds> ends =
                kind == ProbeKind.PAIR ? Optional.of(new SpanEndsParser(text).parse()) : Optional.empty();
        ProbePointParser.ProbePoint point = new ProbePointParser(text, isEnd).parse(kind);
        List<ArgumentSpec> arguments = List.of();
        Optional<ReturnSpec> result = Optional.empty();
        String resultName = "";
        boolean seenArguments = false;
        SpecFlags flags = new SpecFlags(text, kind);
        int filterPosition = -1;
        text.skipBlanks();
        while (!isOver()) {
            int start = text.position();
            if (text.take('(')) {
                if (kind == ProbeKind.PAIR) {
                    throw text.failAt(start, "the arguments of a span between two probes stand behind each of them");
                }
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
                if (isEnd && !flags.isOfPlace()) {
                    throw text.failAt(start, "the flags of a span stand behind its parentheses, except [pastcheck]");
                }
            } else if (text.at('/')) {
                if (filterPosition >= 0) {
                    throw text.failAt(start, "a second filter: join them by &&");
                }
                filterPosition = start;
                FilterParser.skip(text, kind);
            } else {
                throw text.fail("expected '(' arguments, '/' a filter, '[' flags or the end of the spec"
                        + (filterPosition < 0 ? "" : "; a division in a filter stands in parentheses: (arg1 / 8) > 5"));
            }
            text.skipBlanks();
        }
        int endPosition = text.position();
        if (ends.isPresent()) {
            arguments = ends.get()
                    .arguments(ends.get().begin().arguments(), ends.get().end().arguments());
        }
        Optional<Filter> filter = Optional.empty();
        if (filterPosition >= 0) {
            // Only now: it may name arguments that stand behind it.
            text.moveTo(filterPosition + 1);
            filter = Optional.of(new FilterParser(text, kind, arguments, result, resultName).parse());
            text.expect('/', "at the end of the filter");
            text.moveTo(endPosition);
        }
        if (isEnd && result.isPresent()) {
            arguments = withResult(arguments, result.get(), resultName, specPosition);
            result = Optional.empty();
        }
        if (flags.isCounter()) {
            arguments = counterArguments(arguments, result, resultName, flags.counterPosition());
            result = Optional.empty();
        }
        if (flags.untilNextPosition() >= 0) {
            checkUntilNext(flags, arguments, result.isPresent() || filter.isPresent());
        }
        if (ends.isPresent()) {
            checkStack(ends.get(), flags, specPosition);
            ends = Optional.of(filtered(ends.get(), filter, filterPosition));
            filter = Optional.empty();
        }
        return new ProbeSpec(
                kind,
                isEnd ? text.text().substring(specPosition, endPosition).strip() : text.text(),
                point.module(),
                kind == ProbeKind.SCHED ? switches(point.function(), flags) : point.function(),
                point.isGlob(),
                point.offsetBytes(),
                arguments,
                result,
                filter,
                flags.stack(),
                flags.isCounter(),
                flags.isPastCheck(),
                flags.untilNextPosition() >= 0,
                kind == ProbeKind.PROFILE
                        ? PresetTraits.NONE.inCategory(PresetTraits.PROFILE_CATEGORY)
                        : PresetTraits.NONE,
                ends);
    }

    private boolean isOver() {
        return isEnd ? SpanEndsParser.isOver(text) : text.atEnd();
    }

    /** At either end of a span what a function returned is an argument like any other. */
    private List<ArgumentSpec> withResult(
            List<ArgumentSpec> arguments, ReturnSpec result, String name, int specPosition) {
        if (arguments.stream().anyMatch(argument -> argument.name().equals(name))) {
            throw text.failAt(specPosition, "two arguments are called " + name);
        }
        List<ArgumentSpec> all = new ArrayList<>(arguments);
        all.add(ArgumentSpec.of(name, ArgumentSource.RETURN_VALUE, result.type()));
        return all;
    }

    private void checkStack(SpanEnds ends, SpecFlags flags, int specPosition) {
        if (ends.isByKey() && flags.stack().isAny()) {
            throw text.failAt(
                    specPosition, "no stack is recorded of a span by keys: its end may be on another thread than it");
        }
    }

    /** Each part of a filter of the whole span becomes one of the probe at which it is decided. */
    private SpanEnds filtered(SpanEnds ends, Optional<Filter> filter, int filterPosition) {
        List<Filter> ofBegin = new ArrayList<>();
        List<Filter> ofEnd = new ArrayList<>();
        ends.begin().filter().ifPresent(ofBegin::add);
        ends.end().filter().ifPresent(ofEnd::add);
        for (Filter part : filter.map(Filter::joinedByAnd).orElse(List.of())) {
            boolean isOfEnd = part.needsReturn();
            if (isOfEnd && part.arguments().stream().anyMatch(argument -> !argument.atReturn())) {
                throw text.failAt(
                        filterPosition,
                        "the filter asks under one || or ! for an argument of the begin and for what is known at the end"
                                + " only; join the two by &&");
            }
            (isOfEnd ? ofEnd : ofBegin).add(part.withArguments(argument -> argument.readAtReturn(false)));
        }
        return new SpanEnds(ends.begin().filteredBy(ofBegin), ends.end().filteredBy(ofEnd), ends.keys());
    }

    /** Nothing is probed where the function returns, and all such samples have one size. */
    private void checkUntilNext(SpecFlags flags, List<ArgumentSpec> arguments, boolean hasResultOrFilter) {
        boolean fits = !hasResultOrFilter
                && !flags.isCounter()
                && !flags.stack().user()
                && !flags.stack().kernel()
                && arguments.size() <= ProbeSpec.MAX_ARGUMENTS_UNTIL_NEXT
                && arguments.stream()
                        .noneMatch(argument ->
                                argument.atReturn() || argument.type().isText());
        if (!fits) {
            throw text.failAt(
                    flags.untilNextPosition(),
                    "[untilnext] takes at most " + ProbeSpec.MAX_ARGUMENTS_UNTIL_NEXT
                            + " arguments, all numbers at the entry, and no filter, stack, counter or returned value");
        }
    }

    /** A stack is that of one switch: where stacks are recorded, every switch is an event. */
    private static String switches(String events, SpecFlags flags) {
        return flags.stack().equals(StackSpec.NONE) ? events : ProbeSpec.ALL_EVENTS;
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
        text.skipBlanks();
        if (word.equals(ProbeKind.PAIR.spelling()) && text.at('(')) {
            if (isEnd) {
                throw text.failAt(start, "a span begins and ends at probes, not at spans");
            }
            return ProbeKind.PAIR;
        }
        if (NOT_YET.containsKey(word) && text.at(':')) {
            throw text.failAt(start, NOT_YET.get(word) + " (" + word + ":) are not supported in this version");
        }
        ProbeKind kind = ProbeKind.ofSpelling(word)
                .orElseThrow(() -> text.failAt(start, "expected the kind of the probe: " + KINDS));
        if (!kind.isManyProbes()) {
            text.expect(':', "after " + word);
        }
        return kind;
    }
}
