package dev.probestream.collector.probe;

/**
 * Where an argument's value comes from.
 *
 * @param kind where the value is
 * @param number counts from 1 for {@link Kind#ARGUMENT} and {@link Kind#RAW}; otherwise 0
 * @param field the name of a tracepoint's field for {@link Kind#FIELD}; otherwise ""
 */
public record ArgumentSource(Kind kind, int number, String field) {
    /** Where a value is. */
    public enum Kind {
        /**
         * The n-th integer or pointer argument of a function, as its calling convention passes it, or the n-th argument of a
         * USDT probe, as its note declares.
         */
        ARGUMENT,
        /** A field of a tracepoint's record. */
        FIELD,
        /** The n-th argument of a raw tracepoint. */
        RAW,
        /** What the function returned. */
        RETURN_VALUE
    }

    /** The highest number of an argument: that many a USDT probe and a raw tracepoint can have (sys/sdt.h, linux/bpf.h). */
    public static final int MAX_NUMBER = 12;

    /** What the function returned. */
    public static final ArgumentSource RETURN_VALUE = new ArgumentSource(Kind.RETURN_VALUE, 0, "");

    /**
     * {@return the {@code number}-th argument of a function, counted from 1}
     *
     * @param number from 1
     */
    public static ArgumentSource argument(int number) {
        return new ArgumentSource(Kind.ARGUMENT, number, "");
    }

    /**
     * {@return the {@code number}-th argument of a raw tracepoint, counted from 1}
     *
     * @param number from 1
     */
    public static ArgumentSource raw(int number) {
        return new ArgumentSource(Kind.RAW, number, "");
    }

    /**
     * {@return the tracepoint's field of this name}
     *
     * @param name as in the tracepoint's format
     */
    public static ArgumentSource field(String name) {
        return new ArgumentSource(Kind.FIELD, 0, name);
    }
}
