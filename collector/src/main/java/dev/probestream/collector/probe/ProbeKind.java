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
    /** A kernel tracepoint with the typed fields of its format file: an instant. */
    TRACEPOINT,
    /** A kernel tracepoint with its raw arguments: an instant. */
    RAWTRACEPOINT,
    /** Every system call of the traced threads: slices of time. */
    SYSCALLS,
    /** Context switches and wake-ups of the traced threads. */
    SCHED;

    /** The word a spec begins with, e.g. {@code uprobe}. */
    public String spelling() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the probe sits in a function of a user-space ELF file, so that it must be resolved against one. */
    public boolean isUserFunction() {
        return this == UPROBE || this == URETPROBE || this == SPAN;
    }

    static Optional<ProbeKind> ofSpelling(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.spelling().equals(word))
                .findFirst();
    }
}
