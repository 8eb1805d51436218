package dev.probestream.cli.terminal;

/** What the process tells the shell at its end. */
public enum ExitCode {
    /** The work is done, also when a signal or the end of the traced process ended it. */
    DONE(0),
    /** Something failed; the message says what. */
    FAILED(1),
    /** The command line is wrong. */
    USAGE(2),
    /** The kernel, the privileges or the machine do not allow it (77 is what test suites read as "skipped"). */
    NOT_PERMITTED(77);

    private final int value;

    ExitCode(int value) {
        this.value = value;
    }

    /** The number the shell sees in {@code $?}. */
    public int value() {
        return value;
    }
}
