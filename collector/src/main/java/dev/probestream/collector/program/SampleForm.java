package dev.probestream.collector.program;

/** What follows the header of a sample. */
public enum SampleForm {
    /** As the probe's {@link EventLayout} says. */
    EVENT,
    /** A context switch: {@link SwitchLayout}. */
    SWITCH,
    /** A process or thread was made: {@link LifeLayout}. */
    FORK,
    /** A process runs another program now: {@link LifeLayout}. */
    EXEC,
    /** A thread ended: {@link LifeLayout}. */
    EXIT,
    /** A thread has another name now: {@link LifeLayout}. */
    RENAME;

    private static final SampleForm[] BY_CODE = values();

    /** The number in the sample's header. */
    @SuppressWarnings("EnumOrdinal") // program and decoder are always of one build
    public int code() {
        return ordinal();
    }

    /**
     * The form of this code.
     *
     * @throws IllegalArgumentException when there is none: the sample is not of our programs
     */
    public static SampleForm ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("a sample of the unknown form " + code);
        }
        return BY_CODE[code];
    }
}
