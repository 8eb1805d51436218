package dev.probestream.cli.terminal;

/** The exit code of the process. */
public enum ExitCode {
    /** Success, also if a signal or the end of the traced process ended the command. */
    DONE(0),
    /** The command failed and printed a message. */
    FAILED(1),
    /** The command line is wrong. */
    USAGE(2),
    /** The kernel, the privileges or the machine do not allow it (77 is what test suites read as "skipped"). */
    NOT_PERMITTED(77);

    private final int value;

    ExitCode(int value) {
        this.value = value;
    }

    /** The value of {@code $?} in the shell. */
    public int value() {
        return value;
    }
}
