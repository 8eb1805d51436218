package dev.probestream.collector.internal.v8;

/** Why a JavaScript frame has no name, or no more than one. */
enum UnnamedReason {
    /** The process has ended, or reading its memory is denied. */
    NO_MEMORY(
            "the process had ended, or its memory could not be read (that needs root, or CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH)"),
    /** A garbage collection moved objects between the hit and the look at the memory, or during the hit. */
    MOVED("a garbage collection moved the function before its name was read"),
    /** The memory does not hold a function there. */
    NOT_A_FUNCTION("the memory did not hold a function where the frame refers to it");

    private final String text;

    UnnamedReason(String text) {
        this.text = text;
    }

    /** The reason as the end of a sentence. */
    String text() {
        return text;
    }
}
