package dev.probestream.query.report.analysis.fact;

import java.util.List;

/** Names of signals by their numbers, which are the same on x86-64 and aarch64 (signal(7)). */
public final class SignalName {
    private static final List<String> NAMES = List.of(
            "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
            "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM",
            "PROF", "WINCH", "IO", "PWR", "SYS");

    private SignalName() {}

    /** For example "SIGKILL"; "signal 34" for one without a name. */
    public static String of(long number) {
        return number > 0 && number < NAMES.size() ? "SIG" + NAMES.get((int) number) : "signal " + number;
    }
}
