package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Token;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The values that a bpftrace program keeps at one probe for another:
 *
 * <pre>
 *   BEGIN [/CONDITION/] { @NAME[tid] = nsecs; @NAME[tid] = VALUE; ... }
 *   END /@NAME[tid]/ { ... nsecs - @NAME[tid] ... @NAME[tid] ...; delete(@NAME[tid]); ... }
 * </pre>
 *
 * <p>Both become {@code span(BEGIN -> END)}; with values of the probes in place of {@code tid}, {@code span(BEGIN -> END by
 * KEY, ...)}. A source {@code @NAME} of an {@link Operand} is a value that was kept.
 */
final class KeptValues {
    private static final Set<String> AGGREGATIONS =
            Set.of("count", "hist", "lhist", "sum", "avg", "min", "max", "stats");
    /** Words that mean something else where the name of an argument stands. */
    private static final String WORDS =
            "arg[0-9]+(_[0-9]+)?|ret|retval(_[0-9]+)?|duration|pid|tid|uid|comm|cpu|probe|function|ustack|kstack|key[0-9]";

    private final LineScanner line;
    private final Optional<Begin> begin;
    /** Which of the attach points of the end it is. */
    private final int index;

    private final Map<String, String> recorded = new LinkedHashMap<>();
    private Optional<List<Operand>> keysOfEnd = Optional.empty();
    private boolean isDeleted;

    /**
     * A block that keeps values.
     *
     * @param points its attach points
     * @param filters the conditions of each, as {@link BpftraceProgram.Block#parse} has them
     * @param keys of each the values that are equal at both ends; empty = the thread
     * @param values of each by name; a {@link Operand.Kind#TIMESTAMP} is the time of the hit
     */
    record Begin(
            List<BpftraceProgram.AttachPoint> points,
            List<String> filters,
            List<List<Operand>> keys,
            List<Map<String, Operand>> values) {}

    private KeptValues(LineScanner line, Optional<Begin> begin, int index) {
        this.line = line;
        this.begin = begin;
        this.index = index;
    }

    /** Whether the block that begins behind the condition here keeps values; the position stays. */
    static boolean isKept(LineScanner line) {
        int start = line.position();
        Token token = line.next();
        while (!token.is("{") && token.kind() != Token.Kind.END) {
            token = line.next();
        }
        boolean isMap = line.next().text().startsWith(Operand.KEPT_MARK) && line.take("[");
        while (isMap && !line.peek().is("]") && line.peek().kind() != Token.Kind.END) {
            line.next();
        }
        boolean isKept = isMap
                && line.take("]")
                && line.take("=")
                && !AGGREGATIONS.contains(line.peek().text());
        line.moveTo(start);
        return isKept;
    }

    /** Reads a block that keeps values, with its condition, for one attach point. */
    static void read(LineScanner line, BpftraceProgram.AttachPoint point, Begin into) {
        BpftraceOperands values = new BpftraceOperands(line, point.written(), none(line));
        into.points().add(point);
        into.filters().add(BpftraceProgram.condition(line, values));
        line.expect("{", "before the statements");
        Map<String, Operand> kept = new LinkedHashMap<>();
        Optional<List<Operand>> keys = Optional.empty();
        while (!line.take("}")) {
            if (line.take(";")) {
                continue;
            }
            Token map = line.next();
            if (map.kind() != Token.Kind.WORD
                    || map.text().length() < 2
                    || !map.text().startsWith(Operand.KEPT_MARK)) {
                throw line.failAt(
                        map.position(),
                        "a block that keeps values for another probe has only statements such as @start[tid] = nsecs,"
                                + " not " + map.shown());
            }
            List<Operand> its = keys(line, values, map);
            if (keys.isPresent() && !sources(keys.get()).equals(sources(its))) {
                throw line.failAt(map.position(), "all that a block keeps for another probe needs the same key");
            }
            keys = Optional.of(its);
            line.expect("=", "behind " + map.text() + "[...]");
            kept.put(map.text(), kept(line, values));
            if (!line.peek().is("}")) {
                line.expect(";", "after the statement");
            }
        }
        into.keys().add(keys.orElseThrow());
        into.values().add(kept);
    }

    private static Operand kept(LineScanner line, BpftraceOperands values) {
        Operand value = values.read();
        boolean isKept = switch (value.kind()) {
            case TIMESTAMP, ARGUMENT, FIELD, TEXT -> true;
            case PID, TID, UID, CPU, COMM, ELAPSED, PROBE, FUNCTION, USER_STACK, KERNEL_STACK -> false;
            case NUMBER, LITERAL, COMPUTED, DURATION -> false;
        };
        if (!isKept) {
            throw line.failAt(
                    value.position(),
                    "only nsecs, arguments, fields, retval and str() are kept for another probe, not "
                            + value.kind().word());
        }
        return value;
    }

    /** Reads {@code [tid]} or {@code [VALUE, ...]}. */
    private static List<Operand> keys(LineScanner line, BpftraceOperands values, Token map) {
        line.expect("[", "behind " + map.text());
        List<Operand> keys = new ArrayList<>();
        do {
            Operand key = values.read();
            boolean isThread = key.kind() == Operand.Kind.TID
                    && keys.isEmpty()
                    && line.peek().is("]");
            if (isThread) {
                line.expect("]", "after tid");
                return List.of();
            }
            if (key.kind() != Operand.Kind.ARGUMENT && key.kind() != Operand.Kind.FIELD) {
                throw line.failAt(
                        key.position(),
                        "the key of what is kept for another probe is tid alone, or numbers of the probe, not "
                                + key.kind().word());
            }
            keys.add(key);
        } while (line.take(","));
        line.expect("]", "after the key");
        return keys;
    }

    /** What the names are that both ends give their keys. */
    private static List<String> sources(List<Operand> keys) {
        return keys.stream().map(Operand::written).toList();
    }

    /** Of a program, or a block, that keeps nothing. */
    static KeptValues none(LineScanner line) {
        return new KeptValues(line, Optional.empty(), 0);
    }

    /**
     * What the block here uses of values that were kept before it.
     *
     * @param begins the blocks that keep values, in order
     * @param index which of its attach points it is for
     * @param count how many it has
     */
    static KeptValues usedIn(LineScanner line, List<Begin> begins, int index, int count) {
        if (begins.isEmpty()) {
            return none(line);
        }
        int start = line.position();
        Optional<Begin> used = Optional.empty();
        Token token = line.next();
        while (!token.is("}") && token.kind() != Token.Kind.END) {
            String name = token.text();
            Optional<Begin> owner = token.kind() == Token.Kind.WORD && name.startsWith(Operand.KEPT_MARK)
                    ? begins.stream()
                            .filter(each -> each.values().get(0).containsKey(name))
                            .reduce((earlier, later) -> later)
                    : Optional.empty();
            if (owner.isPresent() && used.isPresent() && !used.equals(owner)) {
                throw line.failAt(token.position(), "the values that a block uses must be kept by one block");
            }
            used = owner.isPresent() ? owner : used;
            token = line.next();
        }
        if (used.isPresent()
                && used.get().points().size() != 1
                && used.get().points().size() != count) {
            throw line.failAt(
                    start,
                    "the values are kept at " + used.get().points().size() + " probes and used at " + count
                            + ": each begin needs its end, in the same order");
        }
        line.moveTo(start);
        return new KeptValues(line, used, index);
    }

    boolean isUsed() {
        return begin.isPresent();
    }

    /** The block that kept what is used; empty = nothing is. */
    Optional<Begin> begin() {
        return begin;
    }

    private Begin itsBegin() {
        return begin.orElseThrow();
    }

    private int beginIndex() {
        return itsBegin().points().size() == 1 ? 0 : index;
    }

    /** Whether the map of this name was kept for the block. */
    boolean has(Token map) {
        return begin.isPresent() && itsBegin().values().get(beginIndex()).containsKey(map.text());
    }

    /** The value of a map, whose name was read; reads its key. */
    Operand read(Token map, BpftraceOperands values) {
        readKey(map, values);
        Operand kept = stored(map.text());
        return new Operand(kept.kind(), map.text(), kept.type(), kept.number(), map.position());
    }

    private void readKey(Token map, BpftraceOperands values) {
        List<Operand> keys = keys(line, values, map);
        int expected = itsBegin().keys().get(beginIndex()).size();
        if (keys.size() != expected) {
            throw line.failAt(map.position(), map.text() + " was kept with another key");
        }
        if (keysOfEnd.isPresent() && !sources(keysOfEnd.get()).equals(sources(keys))) {
            throw line.failAt(map.position(), "all kept values of a block need the same key");
        }
        keysOfEnd = Optional.of(keys);
    }

    private Operand stored(String map) {
        return Objects.requireNonNull(itsBegin().values().get(beginIndex()).get(map));
    }

    /** Whether the map has the time of the begin. */
    boolean isTime(String map) {
        return stored(map).kind() == Operand.Kind.TIMESTAMP;
    }

    /** Reads {@code (@NAME[KEY])} or {@code (@NAME, KEY)} behind the word delete. */
    void delete(Token word, BpftraceOperands values) {
        line.expect("(", "after delete");
        Token map = line.next();
        if (!has(map)) {
            throw line.failAt(
                    word.position(),
                    "delete() of " + map.shown() + " is not supported: only of a value that"
                            + " another probe of the program keeps; hist prints its maps at every interval and at the end");
        }
        if (line.take(",")) {
            values.read();
        } else {
            readKey(map, values);
        }
        line.expect(")", "after the map");
        isDeleted = true;
    }

    /** A begin has one end. */
    void checkDeleted(int position) {
        if (isUsed() && !isDeleted) {
            String name = itsBegin().values().get(0).keySet().iterator().next();
            throw line.failAt(position, "expected delete(" + name + "[...]) in the block: what begins has one end");
        }
    }

    /** Forgets which values a statement needed. */
    void startStatement() {
        recorded.clear();
    }

    /**
     * Records a kept value at the begin.
     *
     * @param map its name with the mark
     * @param type in the syntax of probe specs; "" = as the probe declares it
     * @return the name of the argument
     */
    String record(String map, String type) {
        Operand kept = stored(map);
        String plain = map.substring(Operand.KEPT_MARK.length());
        String first = plain.matches(WORDS) || keyNames().contains(plain) ? "begin_" + plain : plain;
        String name = first;
        for (int use = 2;
                !recorded.getOrDefault(name, written(name, kept, type)).equals(written(name, kept, type));
                use++) {
            name = first + "_" + use;
        }
        recorded.put(name, written(name, kept, type));
        return name;
    }

    private static String written(String name, Operand value, String type) {
        return name + "=" + value.source() + (type.isEmpty() ? "" : ":" + type);
    }

    /** Whether the begin declares the types of its arguments, as a USDT probe does. */
    boolean isDeclared() {
        return isDeclared(itsBegin().points().get(beginIndex()));
    }

    private static boolean isDeclared(BpftraceProgram.AttachPoint point) {
        return point.spec().matches("(usdt|u):.*");
    }

    /** Where among the arguments of the span those of the end begin. */
    int beginArguments() {
        return begin.isPresent() ? keyNames().size() + recorded.size() : 0;
    }

    /** Which of the arguments of the span it is. */
    int indexOf(String name) {
        return keyNames().size() + List.copyOf(recorded.keySet()).indexOf(name);
    }

    /** Whether an argument of the begin is called so. */
    boolean isTaken(String name) {
        return recorded.containsKey(name) || (begin.isPresent() && keyNames().contains(name));
    }

    private List<String> keyNames() {
        List<Operand> keys = itsBegin().keys().get(beginIndex());
        List<String> names = new ArrayList<>();
        for (Operand key : keys) {
            boolean isName = key.kind() == Operand.Kind.FIELD && !key.source().matches(WORDS);
            names.add(isName ? key.source() : "key" + (names.size() + 1));
        }
        return names;
    }

    /**
     * The spec of a block: of a probe, or of the span that it ends.
     *
     * @param point in the syntax of a probe spec
     * @param arguments the list in parentheses, or ""
     * @param filter with a blank before it, or ""
     */
    String spec(BpftraceProgram.AttachPoint point, String arguments, String filter) {
        if (begin.isEmpty()) {
            return point.spec() + arguments + filter;
        }
        int its = beginIndex();
        List<String> names = keyNames();
        List<String> ofBegin = new ArrayList<>(
                written(names, itsBegin().keys().get(its), itsBegin().points().get(its)));
        ofBegin.addAll(recorded.values());
        List<String> ofEnd = new ArrayList<>(written(names, keysOfEnd.orElse(List.of()), point));
        if (!arguments.isEmpty()) {
            ofEnd.add(arguments.substring(1, arguments.length() - 1));
        }
        return "span(" + itsBegin().points().get(its).spec() + list(ofBegin)
                + itsBegin().filters().get(its) + " -> " + point.spec() + list(ofEnd) + filter
                + (names.isEmpty() ? "" : " by " + String.join(", ", names)) + ")";
    }

    private static List<String> written(List<String> names, List<Operand> keys, BpftraceProgram.AttachPoint point) {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Operand key = keys.get(i);
            boolean isOfProbe = key.kind() == Operand.Kind.FIELD || isDeclared(point);
            written.add(written(names.get(i), key, !key.type().isEmpty() ? key.type() : isOfProbe ? "" : "s64"));
        }
        return written;
    }

    private static String list(List<String> arguments) {
        return arguments.isEmpty() ? "" : "(" + String.join(", ", arguments) + ")";
    }
}
