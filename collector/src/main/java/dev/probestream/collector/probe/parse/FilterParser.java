package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.collector.probe.FilterComparison.Sign;
import dev.probestream.collector.probe.FilterOperand;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ReturnSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads a filter, what stands between the slashes.
 *
 * <pre>
 *   or         := and {'||' and}
 *   and        := not {'&&' not}
 *   not        := '!' not | '(' or ')' | comparison
 *   comparison := operand sign operand | text (== | != | ^=) "literal" | operand '&' number
 *                 an operand may be computed in parentheses: ((arg1 + arg2) / 2)
 *                 of which the last means "not zero", unless it stands in parentheses and == or != and a number follow
 * </pre>
 */
final class FilterParser {
    /** Bounds the depth of recursion and the length of jumps; no filter written by hand reaches it. */
    private static final int MAX_DEPTH = 32;

    private static final int MAX_COMPARISONS = 64;

    private final SpecText text;
    private final OperandParser operands;
    private int depth;
    private int comparisons;
    /** Whether the last comparison was {@code operand & number} alone, without a sign. */
    private boolean isBareMask;

    FilterParser(
            SpecText text,
            ProbeKind kind,
            List<ArgumentSpec> recorded,
            Optional<ReturnSpec> result,
            String resultName) {
        this.text = text;
        this.operands = new OperandParser(text, kind, recorded, result, resultName);
    }

    /** Moves over a whole filter, slashes included: one in quotes or parentheses does not end it. */
    static void skip(SpecText text, ProbeKind kind) {
        int start = text.position();
        if (kind.isManyProbes()) {
            throw text.failAt(
                    start,
                    "a filter cannot be put on " + kind.spelling() + ": use tracepoint: with the event in question");
        }
        text.take('/');
        int inside = text.position();
        if (!skip(text, true)) {
            // A parenthesis that is not closed hides no end: the parser reports its position.
            text.moveTo(inside);
            skip(text, false);
        }
        if (text.atEnd()) {
            throw text.fail("expected '/' at the end of the filter");
        }
        text.take('/');
    }

    /**
     * Moves to the slash that ends a filter.
     *
     * @param isNested whether a slash in parentheses is a division
     * @return whether it is there
     */
    private static boolean skip(SpecText text, boolean isNested) {
        int open = 0;
        while (!text.atEnd() && ((isNested && open > 0) || !text.at('/'))) {
            char c = text.next();
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == '"' || c == '\'') {
                int opening = text.position() - 1;
                while (!text.atEnd() && !text.at(c)) {
                    if (text.next() == '\\' && !text.atEnd()) {
                        text.next();
                    }
                }
                if (text.atEnd()) {
                    throw text.failAt(opening, "expected another " + c + " behind the text");
                }
                text.next();
            }
        }
        return !text.atEnd();
    }

    /** Reads as far as the filter goes. */
    Filter parse() {
        List<Filter> parts = new ArrayList<>();
        do {
            parts.add(and());
        } while (text.takeAll("||"));
        return Filter.any(parts);
    }

    private Filter and() {
        List<Filter> parts = new ArrayList<>();
        do {
            parts.add(not());
        } while (text.takeAll("&&"));
        return Filter.all(parts);
    }

    private Filter not() {
        text.skipBlanks();
        int start = text.position();
        if (depth == MAX_DEPTH) {
            throw text.failAt(start, "more than " + MAX_DEPTH + " parentheses in one another");
        }
        depth++;
        Filter parsed;
        if (text.take('!')) {
            parsed = Filter.not(not());
        } else if (text.at('(') && !ComputationParser.isNext(text)) {
            text.take('(');
            Filter inner = parse();
            text.expect(')', "or && or || in the filter");
            parsed = isBareMask && inner.kind() == Filter.Kind.COMPARISON ? masked(inner) : inner;
        } else {
            parsed = comparison(start);
        }
        depth--;
        return parsed;
    }

    private Filter comparison(int start) {
        if (++comparisons > MAX_COMPARISONS) {
            throw text.failAt(start, "more than " + MAX_COMPARISONS + " comparisons");
        }
        isBareMask = false;
        OperandParser.Operand left = operands.parse();
        text.skipBlanks();
        int signPosition = text.position();
        if (text.at('&') && !text.startsWith("&&")) {
            return mask(left, signPosition);
        }
        Sign sign = sign(signPosition);
        text.skipBlanks();
        return Filter.of(text.at('"') ? ofText(left, sign, signPosition) : ofNumbers(left, sign, signPosition));
    }

    private Filter mask(OperandParser.Operand left, int signPosition) {
        text.take('&');
        if (!left.isOfHit()) {
            throw text.failAt(left.position(), "expected a value of the hit before &, and the number behind it");
        }
        FilterOperand mask = operands.number("the bits to look at");
        text.skipBlanks();
        if (text.startsWith("==") || text.startsWith("!=")) {
            throw text.fail(
                    "as in C, == goes before &: write (… & …) " + text.rest().substring(0, 2) + " …");
        }
        isBareMask = true;
        return Filter.of(new FilterComparison(
                operands.numeric(left, signPosition, false),
                OptionalLong.of(mask.number()),
                Sign.NOT_EQUAL,
                FilterOperand.number(0, false)));
    }

    /** What may follow {@code (operand & number)}. */
    private Filter masked(Filter inner) {
        text.skipBlanks();
        int start = text.position();
        if (!text.startsWith("==") && !text.startsWith("!=")) {
            return inner;
        }
        isBareMask = false;
        Sign sign = sign(start);
        FilterComparison mask = inner.comparison().orElseThrow();
        return Filter.of(
                new FilterComparison(mask.left(), mask.mask(), sign, operands.number("what to compare the bits with")));
    }

    private FilterComparison ofText(OperandParser.Operand left, Sign sign, int signPosition) {
        if (!sign.isEquality() && sign != Sign.BEGINS_WITH) {
            throw text.failAt(signPosition, "texts compare with ==, != or ^= (begins with)");
        }
        FilterOperand textual = operands.textual(left);
        return new FilterComparison(textual, OptionalLong.empty(), sign, operands.literal(textual, sign));
    }

    private FilterComparison ofNumbers(OperandParser.Operand left, Sign sign, int signPosition) {
        OperandParser.Operand right = operands.parse();
        if (sign == Sign.BEGINS_WITH) {
            throw text.failAt(right.position(), "expected a text in double quotes behind ^=");
        }
        if (!left.isOfHit() && !right.isOfHit()) {
            throw text.failAt(left.position(), "two numbers are compared: nothing of the hit");
        }
        return new FilterComparison(
                operands.numeric(left, signPosition, right.isLargerThanSigned()),
                OptionalLong.empty(),
                sign,
                operands.numeric(right, signPosition, left.isLargerThanSigned()));
    }

    private Sign sign(int position) {
        boolean isComputation =
                text.atEnd() || text.at('/') || text.at('*') || text.at('%') || text.at('+') || text.at('-');
        return Sign.ofSpelling(text.run(c -> "=!<>^".indexOf(c) >= 0))
                .orElseThrow(() -> text.failAt(
                        position,
                        "expected a comparison: == != < <= > >= & or, of texts, ^="
                                + (isComputation
                                        ? "; a computed number stands in parentheses: (arg1 / 1000) > 5"
                                        : "")));
    }
}
