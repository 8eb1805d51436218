package dev.probestream.collector.probe;

import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One side of a comparison.
 *
 * @param kind what it is
 * @param argument of {@link Kind#ARGUMENT}, else empty; its name is that of its source
 * @param number of {@link Kind#NUMBER}, else 0; above {@link Long#MAX_VALUE} when {@code isUnsigned} and negative here
 * @param isUnsigned whether {@code number}, or what is computed, is meant as one of 64 bits without a sign
 * @param text of {@link Kind#TEXT}, else ""; without NUL, at most {@link #MAX_TEXT_BYTES} bytes in UTF-8
 * @param computation of {@link Kind#COMPUTED}, else empty
 */
public record FilterOperand(
        Kind kind,
        Optional<ArgumentSpec> argument,
        long number,
        boolean isUnsigned,
        String text,
        Optional<Computation> computation) {
    /** The longest literal: what fits on the stack of a program beside everything else. */
    public static final int MAX_TEXT_BYTES = 128;

    /** What can be compared. */
    public enum Kind {
        /** A value of the probe: an argument, a field, what was returned. */
        ARGUMENT,
        /** The process's id, in the initial pid namespace. */
        PID("pid"),
        /** The thread's id, likewise. */
        TID("tid"),
        /** The thread's name: a text of at most 15 bytes. */
        COMM("comm"),
        /** The number of the CPU; of a span the one it began on. */
        CPU("cpu"),
        /** The user's id, in the initial user namespace. */
        UID("uid"),
        /** How long a span's call took, in nanoseconds. */
        DURATION("duration"),
        /** A number as it stands in the filter. */
        NUMBER,
        /** A text as it stands in the filter. */
        TEXT,
        /** A number computed of others. */
        COMPUTED;

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        Kind() {
            this("");
        }

        /**
         * {@return what a hit has of itself, by its word in a filter}
         *
         * @param word as in a filter
         * @param probe the kind of the probe: only spans have a duration
         */
        public static Optional<Kind> ofWord(String word, ProbeKind probe) {
            for (Kind kind : values()) {
                if (!kind.word.isEmpty() && kind.word.equals(word) && (kind != DURATION || probe.isSpan())) {
                    return Optional.of(kind);
                }
            }
            return Optional.empty();
        }
    }

    /**
     * How a number is computed.
     *
     * @param operation of the two
     * @param left a number
     * @param right a number
     */
    public record Computation(IntegerOperation operation, FilterOperand left, FilterOperand right) {
        /** {@return how many operations stand on the right of one another: so many results are kept at once} */
        public int depth() {
            return Math.max(left.depth(), 1 + right.depth());
        }
    }

    private FilterOperand(Kind kind, Optional<ArgumentSpec> argument, long number, boolean isUnsigned, String text) {
        this(kind, argument, number, isUnsigned, text, Optional.empty());
    }

    /**
     * {@return a number computed of two}
     *
     * @param operation of the two
     * @param left a number
     * @param right a number
     */
    public static FilterOperand computed(IntegerOperation operation, FilterOperand left, FilterOperand right) {
        return new FilterOperand(
                Kind.COMPUTED,
                Optional.empty(),
                0,
                left.isWithoutSign() || right.isWithoutSign(),
                "",
                Optional.of(new Computation(operation, left, right)));
    }

    private int depth() {
        return computation.map(Computation::depth).orElse(0);
    }

    /** {@return the values of the probe in it, from left to right} */
    public Stream<ArgumentSpec> arguments() {
        return Stream.concat(
                argument.stream(),
                computation.stream()
                        .flatMap(computed -> Stream.concat(computed.left.arguments(), computed.right.arguments())));
    }

    /** {@return whether it has 64 bits and no sign} */
    public boolean isWithoutSign() {
        return isUnsigned
                || argument.map(value -> value.type().form())
                        .filter(form -> form == ArgumentType.Form.U64 || form.isPointer())
                        .isPresent();
    }

    /** {@return whether it is a value of the hit, or computed of one} */
    public boolean isOfHit() {
        return switch (kind) {
            case NUMBER -> false;
            case COMPUTED -> {
                Computation computed = computation.orElseThrow();
                yield computed.left.isOfHit() || computed.right.isOfHit();
            }
            case ARGUMENT, PID, TID, COMM, CPU, UID, DURATION, TEXT -> true;
        };
    }

    /**
     * {@return what a hit has of itself}
     *
     * @param kind which: pid, tid, comm, cpu, uid or duration
     */
    public static FilterOperand of(Kind kind) {
        return new FilterOperand(kind, Optional.empty(), 0, false, "");
    }

    /**
     * {@return a value of the probe}
     *
     * @param argument the value
     */
    public static FilterOperand argument(ArgumentSpec argument) {
        return new FilterOperand(Kind.ARGUMENT, Optional.of(argument), 0, false, "");
    }

    /**
     * {@return a number as it stands in a filter}
     *
     * @param number its bits
     * @param isUnsigned whether it has 64 bits and no sign
     */
    public static FilterOperand number(long number, boolean isUnsigned) {
        return new FilterOperand(Kind.NUMBER, Optional.empty(), number, isUnsigned, "");
    }

    /**
     * {@return a text as it stands in a filter}
     *
     * @param text at most {@link #MAX_TEXT_BYTES} long in UTF-8
     */
    public static FilterOperand text(String text) {
        return new FilterOperand(Kind.TEXT, Optional.empty(), 0, false, text);
    }

    /**
     * {@return a {@link Kind#NUMBER} as one of the type it is compared with} A negative one becomes what an unsigned
     * type makes of its bits, and where only equality is asked one with the sign bit set becomes what a signed type
     * makes of them; a number of more bits than the type stays as it is.
     *
     * @param type of the other side
     * @param sign between them
     */
    public FilterOperand meeting(ArgumentType type, FilterComparison.Sign sign) {
        int bits = Byte.SIZE * type.capacityBytes();
        if (bits == Long.SIZE) {
            boolean isReadUnsigned = type.isSigned() ? isUnsigned && !sign.isEquality() : true;
            return number(number, isReadUnsigned);
        }
        long half = 1L << (bits - 1);
        if (!type.isSigned() && number < 0 && number >= -half && !isUnsigned) {
            return number(number + 2 * half, false);
        }
        if (type.isSigned() && sign.isEquality() && number >= half && number < 2 * half) {
            return number(number - 2 * half, false);
        }
        return this;
    }

    /** {@return whether it is known only when a span's function returns} */
    public boolean isKnownAtReturn() {
        return kind == Kind.DURATION
                || argument.filter(FilterOperand::isKnownAtReturn).isPresent()
                || computation
                        .filter(computed -> computed.left.isKnownAtReturn() || computed.right.isKnownAtReturn())
                        .isPresent();
    }

    /**
     * {@return whether a value of the probe is known only at the return}
     *
     * @param argument the value
     */
    public static boolean isKnownAtReturn(ArgumentSpec argument) {
        return argument.atReturn() || argument.source().kind() == ArgumentSource.Kind.RETURN_VALUE;
    }

    FilterOperand withArgument(UnaryOperator<ArgumentSpec> change) {
        if (computation.isPresent()) {
            Computation computed = computation.get();
            return computed(
                    computed.operation, computed.left.withArgument(change), computed.right.withArgument(change));
        }
        return new FilterOperand(kind, argument.map(change), number, isUnsigned, text);
    }
}
