package dev.probestream.collector.internal.program.layout;

/** What follows the header of a sample. */
public enum RecordType {
    /** As in the probe's {@link EventLayout}. */
    EVENT,
    /** A context switch: {@link SwitchLayout}. */
    SWITCH,
    /** A process or thread was made: {@link TaskLifecycleLayout}. */
    FORK,
    /** A process runs another program now: {@link TaskLifecycleLayout}. */
    EXEC,
    /** A thread ended: {@link TaskLifecycleLayout}. */
    EXIT,
    /** A thread has another name now: {@link TaskLifecycleLayout}. */
    RENAME,
    /** A span of {@link MapNames#PHASES} that was open when its thread ended or began another program. */
    OPEN_SPAN;

    private static final RecordType[] BY_CODE = values();

    /** The number in the sample's header. */
    @SuppressWarnings("EnumOrdinal") // program and decoder are always of one build
    public int code() {
        return ordinal();
    }

    /**
     * The record type of this code.
     *
     * @throws IllegalArgumentException when there is none: the sample is not of our programs
     */
    public static RecordType ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("a sample of the unknown record type " + code);
        }
        return BY_CODE[code];
    }
}
