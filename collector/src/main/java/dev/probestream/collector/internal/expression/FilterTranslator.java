package dev.probestream.collector.internal.expression;

import dev.probestream.collector.internal.expression.Expression.Kind;
import java.util.Set;

/**
 * Translates a condition in the syntax of C (which bpftrace shares) into the filter of a probe spec. Precedence is C's,
 * from low to high: ||, &&, &amp;, ==, &lt;, +, *, !.
 */
public final class FilterTranslator {
    private static final Set<String> RELATIONS = Set.of("<", "<=", ">", ">=");
    private static final Set<String> ARITHMETIC = Set.of("<<", ">>", "^", "|", "?", "~", "++", "--");

    /** What a filter of a tracepoint takes for a value of the hit. */
    private static final Set<String> WORDS = Set.of("pid", "tid", "comm", "cpu", "uid");

    private final LineScanner line;
    private final Operand.Reader values;
    private final TextComparisons comparisons;

    public FilterTranslator(LineScanner line, Operand.Reader values) {
        this.line = line;
        this.values = values;
        this.comparisons = new TextComparisons(line, values);
    }

    /** Translates the condition at the current position, up to its end; "" if it only asks whether values were kept. */
    public String translate() {
        Expression all = or();
        String condition = all.kind() == Kind.KEPT ? "" : condition(all);
        Token next = line.peek();
        if (next.kind() == Token.Kind.SIGN && ARITHMETIC.contains(next.text())) {
            throw line.failAt(
                    next.position(),
                    "'" + next.text() + "' is not supported in a condition; supported are == != < <= > >= && || !"
                            + " + - * / % and, in parentheses, & with a number");
        }
        return condition;
    }

    private Expression or() {
        Expression left = and();
        while (line.peek().is("||")) {
            line.next();
            left = new Expression(Kind.CONDITION, condition(left) + " || " + condition(and()), left.position());
        }
        return left;
    }

    private Expression and() {
        Expression left = bits();
        while (line.peek().is("&&")) {
            line.next();
            left = both(left, bits());
        }
        return left;
    }

    /** That a value was kept goes without saying: a span has a begin. */
    private Expression both(Expression left, Expression right) {
        if (left.kind() == Kind.KEPT) {
            return right;
        }
        return right.kind() == Kind.KEPT
                ? left
                : new Expression(Kind.CONDITION, condition(left) + " && " + condition(right), left.position());
    }

    private Expression bits() {
        Expression left = equality();
        Token sign = line.peek();
        if (!sign.is("&")) {
            return left;
        }
        line.next();
        Expression right = equality();
        Expression number = left.kind() == Kind.NUMBER ? left : right;
        Expression mask = left.kind() == Kind.NUMBER ? right : left;
        if (number.kind() != Kind.NUMBER || mask.kind() != Kind.CONSTANT) {
            throw line.failAt(
                    sign.position(),
                    "& needs a number of the probe and a constant; to compare the bits use (arg & 0x40) != 0, with"
                            + " the parentheses");
        }
        return new Expression(Kind.BITS, number.text() + " & " + mask.text(), left.position());
    }

    private Expression equality() {
        Expression left = relation();
        Token sign = line.peek();
        if (!sign.is("==") && !sign.is("!=")) {
            return left;
        }
        line.next();
        return compared(left, sign, relation());
    }

    private Expression relation() {
        Expression left = sum();
        Token sign = line.peek();
        if (sign.kind() != Token.Kind.SIGN || !RELATIONS.contains(sign.text())) {
            return left;
        }
        line.next();
        Expression right = sum();
        if (!isNumber(left) || !isNumber(right) || bothConstant(left, right)) {
            throw line.failAt(sign.position(), "'" + sign.text() + "' compares a number of the probe with a number");
        }
        return new Expression(Kind.CONDITION, left.text() + " " + sign.text() + " " + right.text(), left.position());
    }

    private Expression sum() {
        Expression left = product();
        while (line.peek().is("+") || line.peek().is("-")) {
            left = computed(left, line.next(), product());
        }
        return left;
    }

    private Expression product() {
        Expression left = unary();
        while (line.peek().is("*") || line.peek().is("%") || isDivision()) {
            left = computed(left, line.next(), unary());
        }
        return left;
    }

    /** Whether a slash follows that does not end the condition of a bpftrace program, which a block follows. */
    private boolean isDivision() {
        int start = line.position();
        boolean isDivision = line.take("/") && !line.peek().is("{");
        line.moveTo(start);
        return isDivision;
    }

    private Expression computed(Expression left, Token sign, Expression right) {
        if (!isNumber(left) || !isNumber(right)) {
            throw line.failAt(
                    sign.position(), "'" + sign.text() + "' computes with numbers of the probe and constants");
        }
        String text = "(" + left.text() + " " + sign.text() + " " + right.text() + ")";
        return new Expression(bothConstant(left, right) ? Kind.CONSTANT : Kind.NUMBER, text, left.position());
    }

    private Expression compared(Expression number, Token sign, Expression other) {
        Expression left = isField(number) && other.kind() == Kind.LITERAL ? asText(number) : number;
        Expression right = isField(other) && number.kind() == Kind.LITERAL ? asText(other) : other;
        boolean isZero = right.kind() == Kind.CONSTANT && right.text().equals("0");
        if (left.kind() == Kind.KEPT && sign.is("!=") && isZero) {
            return left;
        }
        boolean areTexts = (right.kind() == Kind.LITERAL && left.kind() == Kind.TEXT)
                || (left.kind() == Kind.LITERAL && right.kind() == Kind.TEXT);
        if (areTexts || (isNumber(left) && isNumber(right) && !bothConstant(left, right))) {
            Expression first = left.kind() == Kind.LITERAL ? right : left;
            Expression second = left.kind() == Kind.LITERAL ? left : right;
            return new Expression(
                    Kind.CONDITION, first.text() + " " + sign.text() + " " + second.text(), left.position());
        }
        if (left.kind() == Kind.BITS && right.kind() == Kind.CONSTANT) {
            return new Expression(
                    Kind.CONDITION, "(" + left.text() + ") " + sign.text() + " " + right.text(), left.position());
        }
        if (left.kind() == Kind.COMPARISON_OF_TEXT
                && right.kind() == Kind.CONSTANT
                && right.text().equals("0")) {
            return new Expression(Kind.CONDITION, sign.is("==") ? left.text() : left.alternative(), left.position());
        }
        throw line.failAt(
                sign.position(),
                "'" + sign.text() + "' compares a number of the probe with a number, or its text with a \"literal\"");
    }

    private Expression unary() {
        Token token = line.peek();
        if (!token.is("!")) {
            return primary();
        }
        line.next();
        line.enter(token);
        boolean isGroup = line.peek().is("(");
        Expression term = unary();
        line.leave();
        if (term.kind() == Kind.COMPARISON_OF_TEXT) {
            return new Expression(Kind.CONDITION, term.text(), token.position());
        }
        if (term.kind() == Kind.NUMBER) {
            return new Expression(Kind.CONDITION, term.text() + " == 0", token.position());
        }
        String negated = isGroup && term.kind() == Kind.CONDITION ? term.text() : "(" + condition(term) + ")";
        return new Expression(Kind.CONDITION, "!" + negated, token.position());
    }

    private Expression primary() {
        Token token = line.peek();
        if (token.is("(") && !TypeNames.isNext(line)) {
            line.next();
            line.enter(token);
            Expression inner = or();
            line.leave();
            line.expect(")", "at the end of this part of the condition");
            return inner.kind() == Kind.CONDITION
                    ? new Expression(Kind.CONDITION, "(" + inner.text() + ")", token.position())
                    : inner;
        }
        return comparisons.next().orElseGet(() -> term(values.read()));
    }

    private Expression term(Operand value) {
        if (value.source().startsWith(Operand.KEPT_MARK)) {
            return new Expression(Kind.KEPT, value.source(), value.position());
        }
        return switch (value.kind()) {
            // Always with a type: without one, the argument would have the type of its conversion, which may be text.
            case ARGUMENT ->
                new Expression(
                        Kind.NUMBER,
                        value.as(value.type().isEmpty() ? "s64" : value.type()).written(),
                        value.position());
            case FIELD -> field(value);
            case TEXT -> new Expression(Kind.TEXT, value.written(), value.position());
            case COMM -> new Expression(Kind.TEXT, value.kind().word(), value.position());
            case PID, TID, UID, CPU -> new Expression(Kind.NUMBER, value.kind().word(), value.position());
            case NUMBER -> new Expression(Kind.CONSTANT, String.valueOf(value.number()), value.position());
            case LITERAL -> new Expression(Kind.LITERAL, SpecSyntax.literal(line, value), value.position());
            case DURATION ->
                throw line.failAt(
                        value.position(),
                        "a condition on the time of a span stands behind it in a probe spec: span(BEGIN -> END)"
                                + " /duration > 1000000/");
            case TIMESTAMP, ELAPSED, PROBE, FUNCTION, USER_STACK, KERNEL_STACK, COMPUTED ->
                throw line.failAt(
                        value.position(),
                        value.kind().word() + " is not supported in a condition, only as a printed value");
        };
    }

    /** A field, which may be a number or text. Its own name could mean a value of the hit, such as pid. */
    private static Expression field(Operand value) {
        String name = "args." + value.source();
        boolean isPlain = !WORDS.contains(value.source());
        return new Expression(Kind.NUMBER, isPlain ? value.written() : name, name + ":str", value.position());
    }

    private String condition(Expression term) {
        return switch (term.kind()) {
            case CONDITION -> term.text();
            case NUMBER -> term.text() + " != 0";
            case BITS -> "(" + term.text() + ") != 0";
            case COMPARISON_OF_TEXT -> term.alternative();
            case KEPT ->
                throw line.failAt(
                        term.position(),
                        "of a value that another probe kept a condition only asks whether there is one, alone or joined"
                                + " by &&; compare it in a probe spec: span(BEGIN (n=arg1) -> END) /n > 3/");
            case TEXT, CONSTANT, LITERAL ->
                throw line.failAt(term.position(), "expected a comparison, such as arg1 > 10 or comm == \"node\"");
        };
    }

    private static boolean isField(Expression term) {
        return term.kind() == Kind.NUMBER && !term.alternative().isEmpty();
    }

    private static Expression asText(Expression field) {
        return new Expression(Kind.TEXT, field.alternative(), field.position());
    }

    private static boolean isNumber(Expression term) {
        return term.kind() == Kind.NUMBER || term.kind() == Kind.CONSTANT;
    }

    private static boolean bothConstant(Expression left, Expression right) {
        return left.kind() == Kind.CONSTANT && right.kind() == Kind.CONSTANT;
    }
}
