package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Optional;

/**
 * Which hits are recorded at all: those where a number compares so with a constant. A hit whose number cannot be read is
 * not recorded. Presets have conditions, a user's own specs do not in this version.
 *
 * @param argument where the number comes from; it is only compared, not recorded
 * @param comparison how; signed when the number is
 * @param value what with, a signed 32-bit number
 */
public record ArgumentCondition(ArgumentSpec argument, Comparison comparison, int value) {
    /** The ways to compare. */
    public enum Comparison {
        EQUAL("=="),
        NOT_EQUAL("!="),
        GREATER_OR_EQUAL(">="),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        LESS("<");

        private final String sign;

        Comparison(String sign) {
            this.sign = sign;
        }

        static Optional<Comparison> ofSign(String sign) {
            return Arrays.stream(values())
                    .filter(comparison -> comparison.sign.equals(sign))
                    .findFirst();
        }
    }

    /**
     * Reads a condition such as {@code *arg1:s64@+8 > 0}.
     *
     * @param kind of the probe it is for, one that sits at the entry of a user function
     * @throws SpecSyntaxException when it cannot be understood, with the position
     */
    static ArgumentCondition parse(String text, ProbeKind kind) {
        SpecText spec = new SpecText(text);
        if (kind != ProbeKind.UPROBE && kind != ProbeKind.SPAN) {
            throw spec.fail("a condition makes sense for uprobe: and span: only");
        }
        ArgumentSpec argument = new ArgumentListParser(spec, kind).single();
        if (argument.type().isText() || argument.atReturn()) {
            throw spec.failAt(0, "expected a number that is known when the function is entered");
        }
        spec.skipBlanks();
        int signPosition = spec.position();
        Comparison comparison = Comparison.ofSign(spec.run(c -> "=!<>".indexOf(c) >= 0))
                .orElseThrow(() -> spec.failAt(signPosition, "expected == != > >= < or <="));
        boolean negative = spec.take('-');
        int valuePosition = spec.position();
        long value = spec.number("what to compare with");
        spec.skipBlanks();
        if (value > Integer.MAX_VALUE || !spec.atEnd()) {
            throw spec.failAt(valuePosition, "expected a number of 32 bits and the end of the condition");
        }
        return new ArgumentCondition(argument, comparison, (int) (negative ? -value : value));
    }
}
