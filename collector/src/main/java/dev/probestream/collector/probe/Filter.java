package dev.probestream.collector.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Which hits of a probe are recorded at all, as a tree. A number is compared as one of the type of the value it meets, so
 * that {@code arg1:u32 == -1} asks for 0xffffffff and {@code arg1:s32 == 0xffffffff} for -1; two values compare as the
 * numbers they are: a negative one is less than every unsigned one.
 *
 * <p>A hit is recorded when the filter holds for certain: a value that cannot be read makes its comparison
 * unknown, neither true nor false, {@code !} of unknown is unknown, and unknown in the end is not recorded. So
 * {@code !(arg1:str == "x")} and {@code arg1:str != "x"} are the same, and neither passes what {@code arg1} cannot
 * show. A {@code str[argN]} that differs from the literal by its length need not be readable.
 *
 * @param kind how the parts go together
 * @param parts two or more of {@link Kind#ALL} and {@link Kind#ANY}, one of {@link Kind#NOT}, else none
 * @param comparison of {@link Kind#COMPARISON}, else empty
 */
public record Filter(Kind kind, List<Filter> parts, Optional<FilterComparison> comparison) {
    /** How the parts of a filter go together. */
    public enum Kind {
        /** {@code a && b}; the rest is not looked at once one part fails. */
        ALL,
        /** {@code a || b}; the rest is not looked at once one part holds. */
        ANY,
        /** {@code !a}. */
        NOT,
        /** A leaf. */
        COMPARISON
    }

    /** Copies the list. */
    public Filter {
        parts = List.copyOf(parts);
    }

    /**
     * {@return a filter of one comparison}
     *
     * @param comparison the comparison
     */
    public static Filter of(FilterComparison comparison) {
        return new Filter(Kind.COMPARISON, List.of(), Optional.of(comparison));
    }

    /**
     * {@return what holds when all parts do; the part itself when there is one only}
     *
     * @param parts at least one
     */
    public static Filter all(List<Filter> parts) {
        return parts.size() == 1 ? parts.get(0) : new Filter(Kind.ALL, parts, Optional.empty());
    }

    /**
     * {@return what holds when one of the parts does; the part itself when there is one only}
     *
     * @param parts at least one
     */
    public static Filter any(List<Filter> parts) {
        return parts.size() == 1 ? parts.get(0) : new Filter(Kind.ANY, parts, Optional.empty());
    }

    /**
     * {@return what holds when the part does not}
     *
     * @param part what must not hold
     */
    public static Filter not(Filter part) {
        return new Filter(Kind.NOT, List.of(part), Optional.empty());
    }

    /** {@return the parts that must all hold, each as deep as {@code &&} goes; the filter itself if it is none of these} */
    public List<Filter> joinedByAnd() {
        return switch (kind) {
            case ALL ->
                parts.stream().flatMap(part -> part.joinedByAnd().stream()).toList();
            case NOT -> {
                Filter negated = parts.get(0);
                yield negated.kind == Kind.ANY
                        ? negated.parts.stream()
                                .flatMap(part -> not(part).joinedByAnd().stream())
                                .toList()
                        : List.of(this);
            }
            case ANY, COMPARISON -> List.of(this);
        };
    }

    /** {@return every comparison in it, from left to right} */
    public List<FilterComparison> comparisons() {
        List<FilterComparison> found = new ArrayList<>();
        comparison.ifPresent(found::add);
        parts.forEach(part -> found.addAll(part.comparisons()));
        return found;
    }

    /** {@return the values of the probe that it looks at, from left to right, each as often as it is named} */
    public List<ArgumentSpec> arguments() {
        return comparisons().stream()
                .flatMap(compared -> compared.operands().stream())
                .flatMap(FilterOperand::arguments)
                .toList();
    }

    /**
     * {@return the same filter on other values: how a planner fills in the types that are known only at the probe's
     * location}
     *
     * @param change makes the new value of each old one
     */
    public Filter withArguments(UnaryOperator<ArgumentSpec> change) {
        return new Filter(
                kind,
                parts.stream().map(part -> part.withArguments(change)).toList(),
                comparison.map(compared -> compared.withArguments(change)));
    }

    /** {@return whether a part of it is known only when a span's function returns} */
    public boolean needsReturn() {
        return comparisons().stream()
                .flatMap(compared -> compared.operands().stream())
                .anyMatch(FilterOperand::isKnownAtReturn);
    }
}
