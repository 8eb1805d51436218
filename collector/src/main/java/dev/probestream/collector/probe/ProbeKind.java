package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The kinds of probe this version can attach. */
public enum ProbeKind {
    /** The first instruction of a user function, or one at an offset in it: an instant. */
    UPROBE,
    /** The return of a user function: an instant. */
    URETPROBE,
    /** Entry and return of a user function, paired: a slice of time. */
    SPAN,
    /** A USDT probe (a stapsdt note) of an executable or library, at all its sites: an instant. */
    USDT,
    /** Two USDT probes of one file, paired by their thread: a slice of time. */
    USDTSPAN,
    /** What bcc and bpftrace write {@code u:}: a USDT probe or a function, whichever the target has; looked for at resolve. */
    USER,
    /** A kernel tracepoint with the typed fields of its format file: an instant. */
    TRACEPOINT,
    /** A kernel tracepoint with its raw arguments: an instant. */
    RAWTRACEPOINT,
    /** Every system call of the traced threads: slices of time. */
    SYSCALLS,
    /** Context switches and wake-ups of the traced threads. */
    SCHED,
    /** What the traced threads run, looked at so many times a second on every cpu: instants. */
    PROFILE;

    /** The word a spec begins with, e.g. {@code uprobe}. */
    public String spelling() {
        return this == USER ? "u" : name().toLowerCase(Locale.ROOT);
    }

    /** Whether the probe sits at a function of an ELF file. */
    public boolean isUserFunction() {
        return this == UPROBE || this == URETPROBE || this == SPAN;
    }

    /** Whether the probe is one of stapsdt notes, or a pair of them. */
    public boolean isUsdt() {
        return this == USDT || this == USDTSPAN;
    }

    /** Whether what happens there has a beginning and an end: values may be read at either, and it has a duration. */
    public boolean isSpan() {
        return this == SPAN || this == USDTSPAN;
    }

    /** Whether the probe sits in an ELF file, so that it must be resolved against one. */
    public boolean isInUserSpace() {
        return isUserFunction() || isUsdt() || this == USER;
    }

    /** Whether it stands for many probes, each with arguments of its own. */
    public boolean isManyProbes() {
        return this == SYSCALLS || this == SCHED;
    }

    /** Whether a spec may say what is to be recorded of a hit. */
    boolean takesArguments() {
        return !isManyProbes() && this != PROFILE;
    }

    static Optional<ProbeKind> ofSpelling(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.spelling().equals(word))
                .findFirst();
    }
}
