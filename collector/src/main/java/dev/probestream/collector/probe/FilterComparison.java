package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * A comparison of two numbers, or of a text with a literal.
 *
 * @param left a value of the hit, or a number
 * @param mask when present, only these bits of the left number are compared
 * @param sign how; of texts {@link Sign#EQUAL}, {@link Sign#NOT_EQUAL} or {@link Sign#BEGINS_WITH}
 * @param right a number or a value of the hit, of a text the literal
 */
public record FilterComparison(FilterOperand left, OptionalLong mask, Sign sign, FilterOperand right) {
    /** The ways to compare. */
    public enum Sign {
        /** Equal. */
        EQUAL("=="),
        /** Not equal. */
        NOT_EQUAL("!="),
        /** Less. */
        LESS("<"),
        /** Less or equal. */
        LESS_OR_EQUAL("<="),
        /** Greater. */
        GREATER(">"),
        /** Greater or equal. */
        GREATER_OR_EQUAL(">="),
        /** Of texts only. */
        BEGINS_WITH("^=");

        private final String spelling;

        Sign(String spelling) {
            this.spelling = spelling;
        }

        /** {@return whether it is == or !=} */
        public boolean isEquality() {
            return this == EQUAL || this == NOT_EQUAL;
        }

        /**
         * {@return the sign that is spelled so}
         *
         * @param spelling as in a filter
         */
        public static Optional<Sign> ofSpelling(String spelling) {
            return Arrays.stream(values())
                    .filter(sign -> sign.spelling.equals(spelling))
                    .findFirst();
        }
    }

    /** {@return both operands: left, then right} */
    public List<FilterOperand> operands() {
        return List.of(left, right);
    }

    /** {@return whether texts are compared} */
    public boolean isOfText() {
        return right.kind() == FilterOperand.Kind.TEXT;
    }

    FilterComparison withArguments(UnaryOperator<ArgumentSpec> change) {
        return new FilterComparison(left.withArgument(change), mask, sign, right.withArgument(change));
    }
}
