package dev.probestream.collector.dialect;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.expression.FilterTranslator;
import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.SpecSyntax;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.TypeNames;
import dev.probestream.collector.internal.expression.ValueTranslator;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.LineSyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A parser of bcc's argdist syntax:
 *
 * <pre>
 *   {p|r}:LIBRARY:FUNCTION(SIGNATURE)[:TYPE[,TYPE ...]:EXPRESSION[,EXPRESSION ...][:FILTER]][#LABEL]
 *   t:CATEGORY:EVENT()[...]        u:LIBRARY|PROVIDER:NAME()[...]
 * </pre>
 *
 * Expressions are parameters, {@code $retval}, {@code $entry(NAME)}, {@code $latency}, {@code args->FIELD}, {@code
 * argN}, {@code $PID}, {@code $TID}, {@code $COMM}; filters compare them as C does. The type of a tracepoint's number is
 * taken from the tracepoint's format; the type in the line is ignored, unless it is {@code char *}: text. Without expressions, {@code r} uses the return
 * value as an int, as argdist does. Source: bcc's tools/argdist.py and its manual argdist(8).
 */
public final class ArgdistLine {
    /** How many bytes of a text are read unless a size is given. */
    public static final int DEFAULT_TEXT_BYTES = 64;

    private static final Set<String> KINDS = Set.of("p", "r", "t", "u");

    private final LineScanner line;
    private final Bucketing bucketing;
    /** The type of texts. */
    private final String textType;
    /** The arguments of the spec, by their names in the spec. */
    private final Map<String, String> arguments = new LinkedHashMap<>();

    private final List<String> names = new ArrayList<>();

    private ArgdistLine(String text, Bucketing bucketing, int textBytes) {
        this.line = new LineScanner(text, false);
        this.bucketing = bucketing;
        this.textType = "str[" + textBytes + "]";
    }

    /**
     * Parses the argument of {@code -C}.
     *
     * @param text the argument
     * @param textBytes how many bytes of a text are read, 1 to {@link ArgumentType#MAX_STRING_BYTES}
     * @return what it counts
     * @throws LineSyntaxException if the line is malformed or not supported
     */
    public static HistogramSpec count(String text, int textBytes) {
        return new ArgdistLine(text, Bucketing.COUNT, textBytes).parse();
    }

    /**
     * {@return what the argument of {@code -C} counts} Of a text the default size is read.
     *
     * @param text the argument
     */
    public static HistogramSpec count(String text) {
        return count(text, DEFAULT_TEXT_BYTES);
    }

    /**
     * Parses the argument of {@code -H}.
     *
     * @param text the argument
     * @param textBytes as of {@link #count}
     * @return what it counts
     * @throws LineSyntaxException if the line is malformed or not supported
     */
    public static HistogramSpec histogram(String text, int textBytes) {
        return new ArgdistLine(text, Bucketing.LOG2, textBytes).parse();
    }

    /**
     * {@return what the argument of {@code -H} counts} Of a text the default size is read.
     *
     * @param text the argument
     */
    public static HistogramSpec histogram(String text) {
        return histogram(text, DEFAULT_TEXT_BYTES);
    }

    private HistogramSpec parse() {
        line.skipBlanks();
        int start = line.position();
        String kind = part("the kind of the probe: p, r, t or u");
        if (!KINDS.contains(kind)) {
            throw line.failAt(start, "expected the kind of the probe, p:, r:, t: or u:, not '" + kind + "'");
        }
        int libraryPosition = line.position();
        String library = part(kind.equals("t") ? "the category" : "the library");
        String function = line.run(c -> LineScanner.isWordCharacter(c)).strip();
        checkAttachPoint(kind, library, libraryPosition, function);
        ArgdistOperands values = new ArgdistOperands(line, kind.equals("r"), signature(kind));
        if (line.take(":")) {
            expressions(types(), values);
        } else {
            withoutExpressions(kind, values);
        }
        String filter = line.take(":") ? " /" + new FilterTranslator(line, values).translate() + "/" : "";
        String label = label();
        String spec = attachPoint(kind, library, function, values.isOfEntry())
                + (arguments.isEmpty() ? "" : "(" + String.join(", ", arguments.values()) + ")")
                + filter;
        boolean isCount = bucketing.form() == Bucketing.Form.COUNT;
        return new HistogramSpec(
                TraceLine.translated(line, start, spec),
                isCount ? names : List.of(),
                isCount ? "" : names.get(0),
                bucketing,
                label,
                Map.of());
    }

    private String part(String what) {
        int start = line.position();
        String part = line.run(c -> c != ':' && c != '(' && c != '#').strip();
        if (!line.at(':')) {
            throw line.failAt(start, "expected " + what + " and ':', as in p:c:malloc(size_t size):size_t:size");
        }
        line.next();
        return part;
    }

    private void checkAttachPoint(String kind, String library, int position, String function) {
        if (library.isEmpty() && (kind.equals("p") || kind.equals("r"))) {
            throw line.failAt(position, KernelFunction.refusal(function, kind.equals("r")));
        }
        if (library.isEmpty() || function.isEmpty()) {
            throw line.failAt(line.position(), "expected a name");
        }
    }

    private Parameters signature(String kind) {
        line.expect("(", "after the name; a signature may be empty: ()");
        if (kind.equals("p") || kind.equals("r")) {
            return Parameters.read(line);
        }
        Token next = line.peek();
        if (!line.take(")")) {
            throw line.failAt(next.position(), "only functions have a signature: use ()");
        }
        return new Parameters();
    }

    /** The types up to the colon, in the spec's syntax, each with its position. */
    private List<Operand> types() {
        List<Operand> types = new ArrayList<>();
        do {
            Token first = line.peek();
            int start = first.position();
            boolean isText = isText();
            String type = TypeNames.read(line)
                    .orElseThrow(() -> line.failAt(start, "unknown type: use a C type such as int, u64 or char *"));
            types.add(Operand.argument("", isText ? textType : type, start));
        } while (line.take(","));
        line.expect(":", "between the types and the expressions");
        return types;
    }

    /** Whether the next type is a pointer to char, which argdist treats as text. */
    private boolean isText() {
        int start = line.position();
        Token word = line.next();
        word = word.isWord("const") ? line.next() : word;
        boolean isText = word.isWord("char") && line.peek().is("*");
        line.moveTo(start);
        return isText;
    }

    private void expressions(List<Operand> types, ArgdistOperands values) {
        int count = 0;
        do {
            Token first = line.peek();
            if (count == types.size()) {
                throw line.failAt(first.position(), "fewer types than expressions");
            }
            String type = types.get(count++).type();
            if (bucketing.form() == Bucketing.Form.COUNT) {
                add(values.read(), type, values);
            } else {
                names.add(new ValueTranslator(line, values, value -> nameOf(value, type, values)).translate());
            }
        } while (line.take(","));
        Token next = line.peek();
        if (!next.is(":") && !next.is("#") && next.kind() != Token.Kind.END) {
            throw line.failAt(
                    next.position(),
                    "expected ',' ':' '#' or the end, not " + next.shown() + ": a count is by plain values; the value"
                            + " of a histogram is computed with + - * / % and parentheses");
        }
        if (count < types.size()) {
            throw line.failAt(types.get(count).position(), "more types than expressions");
        }
        if (bucketing.form() != Bucketing.Form.COUNT && count > 1) {
            throw line.failAt(types.get(1).position(), "a histogram needs exactly one expression");
        }
    }

    private void withoutExpressions(String kind, ArgdistOperands values) {
        if (kind.equals("r")) {
            add(Operand.argument("ret", "", line.position()), "s32", values);
        } else if (bucketing.form() != Bucketing.Form.COUNT) {
            throw line.failAt(line.position(), "a histogram needs a type and an expression, such as :u64:size");
        }
    }

    private void add(Operand value, String type, ArgdistOperands values) {
        String name = nameOf(value, type, values);
        if (names.contains(name)) {
            throw line.failAt(value.position(), "duplicate expression");
        }
        names.add(name);
    }

    private String nameOf(Operand value, String type, ArgdistOperands values) {
        String name = switch (value.kind()) {
            case ARGUMENT -> argument(value, type, values);
            case FIELD -> field(value, type);
            case PID, TID, CPU, COMM -> value.kind().word();
            case NUMBER, LITERAL ->
                throw line.failAt(
                        value.position(), "cannot count by a constant: omit types and expressions to count all hits");
            case TEXT, UID, TIMESTAMP, DURATION, ELAPSED, PROBE, FUNCTION, USER_STACK, KERNEL_STACK, COMPUTED ->
                throw line.failAt(value.position(), value.kind().word() + " is not supported as a key");
        };
        boolean isWord = value.kind() != Operand.Kind.ARGUMENT && value.kind() != Operand.Kind.FIELD;
        if (bucketing.form() != Bucketing.Form.COUNT && (isWord || type.equals(textType))) {
            throw line.failAt(
                    value.position(),
                    "a histogram needs a numeric value of the probe; use -C to count by other values");
        }
        return name;
    }

    private String argument(Operand value, String type, ArgdistOperands values) {
        if (value.source().equals("ret")) {
            values.returnedAs(type);
            if (type.equals(textType)) {
                arguments.put("retval", "retval=ret:" + type);
                return "retval";
            }
            arguments.put(HistogramSpec.RET, "ret:" + type);
            return HistogramSpec.RET;
        }
        String name = values.nameOf(value);
        arguments.put(name, name + "=" + value.source() + ":" + type);
        return name;
    }

    private String field(Operand value, String type) {
        if (value.source().equals(HistogramSpec.DURATION)) {
            return HistogramSpec.DURATION;
        }
        boolean isText = type.equals(textType);
        arguments.put(value.source(), isText ? value.source() + "=" + value.source() + ":" + textType : value.source());
        return value.source();
    }

    private String label() {
        Token next = line.next();
        if (next.kind() == Token.Kind.END) {
            return "";
        }
        if (!next.is("#")) {
            throw line.failAt(next.position(), "expected '#' and a label, or the end of the line, not " + next.shown());
        }
        return line.run(c -> true).strip();
    }

    private static String attachPoint(String kind, String library, String function, boolean isOfEntry) {
        return switch (kind) {
            case "p" -> "uprobe:" + SpecSyntax.name(library) + ":" + function;
            case "r" -> (isOfEntry ? "span:" : "uretprobe:") + SpecSyntax.name(library) + ":" + function;
            case "t" -> "tracepoint:" + library + ":" + function;
            default -> "u:" + SpecSyntax.name(library) + ":" + function;
        };
    }
}
