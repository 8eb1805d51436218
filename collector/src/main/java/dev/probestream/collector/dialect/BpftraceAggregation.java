package dev.probestream.collector.dialect;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.NumberLiteral;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.Token.Kind;
import dev.probestream.collector.internal.expression.TypeNames;
import dev.probestream.collector.internal.expression.ValueTranslator;
import dev.probestream.collector.probe.IntegerOperation;
import dev.probestream.collector.probe.LineSyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The statements of a bpftrace program that counts:
 *
 * <pre>
 *   @[NAME][[KEY, ...]] = count();   @...++;   @... = hist(VALUE);   @... = lhist(VALUE, FROM, TO, STEP);
 *   @... = sum(VALUE);   avg, min, max and stats likewise
 * </pre>
 *
 * Keys are arguments, fields, str(), comm, pid, tid, cpu, probe, func, ustack and kstack. Numbers may be computed. Each probe has a table of its own, also where
 * bpftrace adds several probes up in one map.
 */
final class BpftraceAggregation implements BpftraceProgram.Block<List<HistogramSpec>> {
    private static final String TEXT = "str[64]";
    private static final String SUPPORTED = "supported are @ = count(), hist(VALUE), lhist(VALUE, FROM, TO, STEP),"
            + " sum(VALUE), avg(VALUE), min(VALUE), max(VALUE) and stats(VALUE)";
    private static final Map<String, Bucketing.Form> SUMS = Map.of(
            "sum", Bucketing.Form.SUM,
            "avg", Bucketing.Form.AVG,
            "min", Bucketing.Form.MIN,
            "max", Bucketing.Form.MAX,
            "stats", Bucketing.Form.STATS);

    @Override
    public List<HistogramSpec> parse(
            LineScanner line, BpftraceProgram.AttachPoint point, String filter, BpftraceOperands values) {
        List<HistogramSpec> histograms = new ArrayList<>();
        while (!line.take("}")) {
            if (line.peek().isWord("delete") && values.kept().isUsed()) {
                values.kept().delete(line.next(), values);
            } else if (!line.take(";")) {
                values.kept().startStatement();
                histograms.add(new Statement(line, point, filter, values).parse());
            }
        }
        if (histograms.isEmpty()) {
            throw line.failAt(line.position() - 1, "empty block: " + SUPPORTED);
        }
        return histograms;
    }

    /** One assignment to a map. */
    private static final class Statement {
        private final LineScanner line;
        private final BpftraceProgram.AttachPoint point;
        private final String filter;
        private final BpftraceOperands values;
        private final Map<String, String> arguments = new LinkedHashMap<>();
        private final List<String> keys = new ArrayList<>();
        private final Map<String, Integer> textBytes = new HashMap<>();
        private String of = "";

        Statement(LineScanner line, BpftraceProgram.AttachPoint point, String filter, BpftraceOperands values) {
            this.line = line;
            this.point = point;
            this.filter = filter;
            this.values = values;
        }

        HistogramSpec parse() {
            Token map = line.next();
            if (map.kind() != Kind.WORD || !map.text().startsWith("@")) {
                throw refuse(map);
            }
            if (line.take("[")) {
                do {
                    keys.add(key());
                } while (line.take(","));
                line.expect("]", "after the keys: a key is computed with + - * / % and parentheses");
            }
            Bucketing bucketing = line.take("++") ? Bucketing.COUNT : assigned();
            if (!line.peek().is("}")) {
                line.expect(";", "after the statement");
            }
            String list = arguments.isEmpty() ? "" : "(" + String.join(", ", arguments.values()) + ")";
            String spec = values.kept().spec(point, list, filter);
            return new HistogramSpec(
                    TraceLine.translated(line, point.position(), spec),
                    keys,
                    of,
                    bucketing,
                    map.text().length() > 1 ? map.text() + " " + point.written() : "",
                    textBytes);
        }

        private LineSyntaxException refuse(Token token) {
            String instead = switch (token.text()) {
                case "printf" -> "printf is not supported by hist: use trace to print";
                case "exit" -> "exit is not supported: use -n N to stop after N outputs, with -i for the interval";
                case "delete", "clear", "zero", "print" ->
                    token.text() + "() is not supported: hist prints its maps at every interval and at the end";
                case "if", "unless" -> token.text() + " is not supported: use a /condition/ before the braces";
                default ->
                    token.text().startsWith("$")
                            ? BpftraceProgram.NO_VARIABLES
                            : token.shown() + " is not supported; " + SUPPORTED;
            };
            return line.failAt(token.position(), instead);
        }

        private String key() {
            Token token = line.peek();
            if (token.isWord("probe") || token.isWord("func")) {
                line.next();
                return "probe";
            }
            if (token.is("(") && !TypeNames.isNext(line)) {
                return computed();
            }
            Operand value = values.read();
            Token next = line.peek();
            if (next.kind() == Kind.SIGN && IntegerOperation.ofSign(next.text()).isPresent()) {
                line.moveTo(token.position());
                return computed();
            }
            return switch (value.kind()) {
                case ARGUMENT, FIELD -> named(value, "");
                case TEXT -> text(value);
                case PID, TID, CPU, COMM -> value.kind().word();
                case USER_STACK, KERNEL_STACK ->
                    value.kind().word() + (value.number() > 0 ? "(" + value.number() + ")" : "");
                case UID, TIMESTAMP, DURATION, ELAPSED, PROBE, FUNCTION, NUMBER, LITERAL, COMPUTED ->
                    throw line.failAt(value.position(), value.kind().word() + " is not supported as a key");
            };
        }

        /** Of a text whose size is given, one byte less is shown, because bpftrace's size counts the zero byte. */
        private String text(Operand value) {
            String name = named(value, value.type().equals("str") ? TEXT : value.type());
            if (value.number() > 0) {
                textBytes.put(name, (int) value.number() - 1);
            }
            return name;
        }

        private String computed() {
            return new ValueTranslator(line, values, value -> {
                        if (value.kind() != Operand.Kind.ARGUMENT && value.kind() != Operand.Kind.FIELD) {
                            throw line.failAt(
                                    value.position(),
                                    "only arguments, fields and returned values are computed with in a key");
                        }
                        return named(value, "");
                    })
                    .translate();
        }

        private Bucketing assigned() {
            Token sign = line.peek();
            line.expect("=", "after the map; " + SUPPORTED);
            Token function = line.next();
            Bucketing bucketing = switch (function.text()) {
                case "count" -> {
                    line.expect("(", "after count");
                    yield Bucketing.COUNT;
                }
                case "hist" -> {
                    value(function);
                    yield Bucketing.LOG2;
                }
                case "lhist" -> {
                    value(function);
                    yield linear(function);
                }
                default -> {
                    Bucketing.Form form = SUMS.get(function.text());
                    if (form == null) {
                        throw unsupported(sign, function);
                    }
                    value(function);
                    yield Bucketing.sums(form);
                }
            };
            line.expect(
                    ")",
                    "after " + function.text() + ": a value is computed with + - * / % and parentheses (for the time of"
                            + " a call use the probe spec span:FUNCTION)");
            return bucketing;
        }

        private LineSyntaxException unsupported(Token sign, Token function) {
            if (function.isWord("nsecs")) {
                return line.failAt(
                        function.position(),
                        "a time is kept by thread for another probe, @start[tid] = nsecs; the probe spec span:FUNCTION"
                                + " has the time of each call");
            }
            return line.failAt(sign.position(), "only counts, histograms and sums are kept in maps; " + SUPPORTED);
        }

        private void value(Token function) {
            line.expect("(", "after " + function.text());
            of = new ValueTranslator(line, values, value -> valueName(function, value)).translate();
        }

        private String valueName(Token function, Operand value) {
            if (value.kind() == Operand.Kind.DURATION) {
                return HistogramSpec.DURATION;
            }
            if (value.kind() != Operand.Kind.ARGUMENT && value.kind() != Operand.Kind.FIELD) {
                String span = value.kind() == Operand.Kind.TIMESTAMP
                        ? ": the probe spec span:FUNCTION has the time of each call"
                        : "";
                throw line.failAt(value.position(), function.text() + "() takes an argument, a field or retval" + span);
            }
            return named(value, "");
        }

        private Bucketing linear(Token function) {
            long[] bounds = new long[3];
            for (int i = 0; i < bounds.length; i++) {
                line.expect(",", "after the value: lhist(VALUE, FROM, TO, STEP)");
                bounds[i] = NumberLiteral.signed(line, line.next()).number();
            }
            try {
                return Bucketing.parseLinear(bounds[0] + ":" + bounds[1] + ":" + bounds[2]);
            } catch (HistogramException e) {
                throw line.failAt(function.position(), String.valueOf(e.getMessage()));
            }
        }

        /** The name of an argument of the spec, which is added. An argument of two types has two names. */
        private String named(Operand value, String textType) {
            boolean isField = value.kind() == Operand.Kind.FIELD;
            if (value.source().startsWith(Operand.KEPT_MARK)) {
                return kept(value, textType);
            }
            if (value.source().equals("ret") && textType.isEmpty() && !isField) {
                return returned(value);
            }
            boolean isDeclared = isField || point.spec().matches("(usdt|u):.*");
            String type =
                    !textType.isEmpty() ? textType : !value.type().isEmpty() ? value.type() : isDeclared ? "" : "s64";
            String first = value.source().equals("ret") && !isField ? "retval" : value.source();
            String name = first;
            String written = written(name, value.source(), type);
            for (int use = 2;
                    !arguments.getOrDefault(name, written).equals(written)
                            || values.kept().isTaken(name);
                    use++) {
                name = first + "_" + use;
                written = written(name, value.source(), type);
            }
            arguments.put(name, written);
            return name;
        }

        private String kept(Operand value, String textType) {
            boolean isDeclared =
                    value.kind() == Operand.Kind.FIELD || values.kept().isDeclared();
            String type =
                    !textType.isEmpty() ? textType : !value.type().isEmpty() ? value.type() : isDeclared ? "" : "s64";
            return values.kept().record(value.source(), type);
        }

        private static String written(String name, String source, String type) {
            return type.isEmpty() && name.equals(source)
                    ? name
                    : name + "=" + source + (type.isEmpty() ? "" : ":" + type);
        }

        private String returned(Operand value) {
            String written = "ret:" + (value.type().isEmpty() ? "s64" : value.type());
            if (!arguments.getOrDefault("ret", written).equals(written)) {
                throw line.failAt(value.position(), "retval has two types: use one of them");
            }
            arguments.put("ret", written);
            return HistogramSpec.RET;
        }
    }
}
