package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.FilterOperand;
import dev.probestream.collector.probe.IntegerOperation;
import java.util.Optional;

/**
 * Reads a computed number of a filter, which stands in parentheses, so that a division does not end the filter and an
 * addition is none to the address of a value:
 *
 * <pre>
 *   computed := '(' sum ')'
 *   sum      := product {(+ | -) product}
 *   product  := operand {(* | / | %) operand}
 * </pre>
 */
final class ComputationParser {
    private static final int MAX_DEPTH = 32;

    /** So many results are kept at once, 8 bytes each of the program's stack. */
    private static final int MAX_WAITING = 4;

    private final SpecText text;
    private final OperandParser operands;
    private int depth;

    ComputationParser(SpecText text, OperandParser operands) {
        this.text = text;
        this.operands = operands;
    }

    /** Whether the parenthesis at the position has a number in it, and not comparisons. */
    static boolean isNext(SpecText text) {
        int start = text.position();
        int open = 0;
        boolean isNumber = true;
        do {
            char c = text.next();
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
            isNumber &= "=<>!&|^\"".indexOf(c) < 0;
        } while (open > 0 && isNumber && !text.atEnd());
        text.moveTo(start);
        return isNumber && open == 0;
    }

    /** Reads one, from its parenthesis. */
    FilterOperand parse() {
        int start = text.position();
        if (++depth > MAX_DEPTH) {
            throw text.failAt(start, "more than " + MAX_DEPTH + " parentheses in one another");
        }
        text.take('(');
        FilterOperand parsed = sum();
        text.expect(')', "or + - * / % in what is computed");
        depth--;
        if (parsed.computation()
                .filter(computed -> computed.depth() > MAX_WAITING)
                .isPresent()) {
            throw text.failAt(
                    start,
                    "the computation needs more than " + MAX_WAITING + " intermediate results: write ((a + b) * c) for"
                            + " (c * (a + b))");
        }
        return parsed;
    }

    private FilterOperand sum() {
        FilterOperand left = product();
        text.skipBlanks();
        while (text.at('+') || text.at('-')) {
            left = FilterOperand.computed(operation().orElseThrow(), left, product());
            text.skipBlanks();
        }
        return left;
    }

    private FilterOperand product() {
        FilterOperand left = operand();
        text.skipBlanks();
        while (text.at('*') || text.at('/') || text.at('%')) {
            left = FilterOperand.computed(operation().orElseThrow(), left, operand());
            text.skipBlanks();
        }
        return left;
    }

    private Optional<IntegerOperation> operation() {
        return IntegerOperation.ofSign(String.valueOf(text.next()));
    }

    private FilterOperand operand() {
        text.skipBlanks();
        if (text.atEnd()) {
            throw text.fail("expected a value to compute with");
        }
        return text.at('(') ? parse() : operands.ofComputation();
    }
}
