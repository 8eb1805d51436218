package dev.probestream.collector.probe;

import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * One side of a comparison.
 *
 * @param kind what it is
 * @param argument of {@link Kind#ARGUMENT}, else empty; its name is that of its source
 * @param number of {@link Kind#NUMBER}, else 0; above {@link Long#MAX_VALUE} when {@code isUnsigned} and negative here
 * @param isUnsigned whether {@code number} is meant as one of 64 bits without a sign
 * @param text of {@link Kind#TEXT}, else ""; without NUL, at most {@link #MAX_TEXT_BYTES} bytes in UTF-8
 */
public record FilterOperand(Kind kind, Optional<ArgumentSpec> argument, long number, boolean isUnsigned, String text) {
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
        TEXT;

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        Kind() {
            this("");
        }

        /** What a hit has of itself, by its word in a filter. */
        static Optional<Kind> ofWord(String word, ProbeKind probe) {
            for (Kind kind : values()) {
                if (!kind.word.isEmpty() && kind.word.equals(word) && (kind != DURATION || probe.isSpan())) {
                    return Optional.of(kind);
                }
            }
            return Optional.empty();
        }
    }

    static FilterOperand of(Kind kind) {
        return new FilterOperand(kind, Optional.empty(), 0, false, "");
    }

    static FilterOperand argument(ArgumentSpec argument) {
        return new FilterOperand(Kind.ARGUMENT, Optional.of(argument), 0, false, "");
    }

    static FilterOperand number(long number, boolean isUnsigned) {
        return new FilterOperand(Kind.NUMBER, Optional.empty(), number, isUnsigned, "");
    }

    static FilterOperand text(String text) {
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
                || argument.filter(FilterOperand::isKnownAtReturn).isPresent();
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
        return new FilterOperand(kind, argument.map(change), number, isUnsigned, text);
    }
}
