package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Optional;

/** The kinds of probe this version can attach, and the traits in which they differ. */
public enum ProbeKind {
    /** The first instruction of a user function, or one at an offset in it: an instant. */
    UPROBE("uprobe", Location.FUNCTION, Extent.INSTANT, "arg1", "arg1"),
    /** The return of a user function: an instant. */
    URETPROBE("uretprobe", Location.FUNCTION, Extent.INSTANT, "ret", "ret"),
    /** Entry and return of a user function, paired: a span. */
    SPAN("span", Location.FUNCTION, Extent.SPAN, "arg1 or ret", "arg1, ret, duration"),
    /** A USDT probe (a stapsdt note) of an executable or library, at all its attach points: an instant. */
    USDT("usdt", Location.USDT, Extent.INSTANT, "arg1", "arg1"),
    /** Two USDT probes of one file, paired by their thread: a span. */
    USDTSPAN("usdtspan", Location.USDT, Extent.SPAN, "arg1", "arg1, arg1 at return, duration"),
    /** Any two probes, paired by their thread or by values of both ({@link SpanEnds}): a span. */
    PAIR("span", Location.OF_ENDS, Extent.SPAN, "none", "duration"),
    /** What bcc and bpftrace write {@code u:}: a USDT probe or a function, whichever the target has; looked for at resolve. */
    USER("u", Location.FUNCTION_OR_USDT, Extent.INSTANT, "arg1", "arg1"),
    /** A kernel tracepoint with the typed fields of its format file: an instant. */
    TRACEPOINT("tracepoint", Location.KERNEL, Extent.INSTANT, "the name of one of the tracepoint's fields", "arg1"),
    /** A kernel tracepoint with its raw arguments: an instant. */
    RAWTRACEPOINT("rawtracepoint", Location.KERNEL, Extent.INSTANT, "arg1", "arg1"),
    /** One system call of the traced threads, from its entry to its return: a span. */
    SYSCALL("syscall", Location.KERNEL, Extent.SPAN, "arg1 or ret", "arg1, ret, duration"),
    /** The return of one system call of the traced threads: an instant. */
    SYS_EXIT("sys_exit", Location.KERNEL, Extent.INSTANT, "arg1 or ret", "arg1, ret"),
    /** Every system call of the traced threads: spans. */
    SYSCALLS("syscalls", Location.KERNEL, Extent.MANY_PROBES, "none", "arg1") {
        /** The call's number is added to the first id; asm-generic/unistd.h is below 480 in 6.18. */
        @Override
        public int idCount() {
            return 640;
        }
    },
    /** Context switches and wake-ups of the traced threads. */
    SCHED("sched", Location.KERNEL, Extent.MANY_PROBES, "none", "arg1") {
        @Override
        public int idCount() {
            return 2;
        }
    },
    /** Signals that end a process unless it handles them, for the traced processes, from any sender: instants. */
    SIGNALS("signals", Location.KERNEL, Extent.MANY_PROBES, "none", ""),
    /** Samples of what the traced threads run, at a frequency, on every cpu: instants. */
    PROFILE("profile", Location.KERNEL, Extent.INSTANT, "none", ""),
    /** What the kernel reports about each traced process, read once a second: counters. No program is attached. */
    PROCESS("process", Location.KERNEL, Extent.MANY_PROBES, "none", "") {
        /** The probes of internal.counter.ProcessCounter. */
        @Override
        public int idCount() {
            return 17;
        }
    };

    private final String spelling;
    private final Location location;
    private final Extent extent;
    private final String argumentExample;
    private final String filterExample;

    private enum Location {
        FUNCTION,
        USDT,
        FUNCTION_OR_USDT,
        KERNEL,
        OF_ENDS
    }

    private enum Extent {
        INSTANT,
        SPAN,
        MANY_PROBES
    }

    ProbeKind(String spelling, Location location, Extent extent, String argumentExample, String filterExample) {
        this.spelling = spelling;
        this.location = location;
        this.extent = extent;
        this.argumentExample = argumentExample;
        this.filterExample = filterExample;
    }

    /** {@return the word a spec begins with, e.g} {@code uprobe}. */
    public String spelling() {
        return spelling;
    }

    /** {@return whether the probe sits at a function of an ELF file} */
    public boolean isUserFunction() {
        return location == Location.FUNCTION;
    }

    /** {@return whether the probe is one of stapsdt notes, or a pair of them} */
    public boolean isUsdt() {
        return location == Location.USDT;
    }

    /** {@return whether a hit has a beginning and an end: values may be read at either, and it has a duration} */
    public boolean isSpan() {
        return extent == Extent.SPAN;
    }

    /** {@return whether the probe sees the value that a function or a system call returns} */
    public boolean hasReturnValue() {
        return this == URETPROBE || this == SPAN || isOneSyscall();
    }

    /** {@return whether a hit is at a moment at which its thread may run JavaScript, so that it has an async context} */
    public boolean hasAsyncContext() {
        return isInUserSpace() || isOneSyscall();
    }

    /** {@return whether the probe is at one system call, which a spec names} */
    public boolean isOneSyscall() {
        return this == SYSCALL || this == SYS_EXIT;
    }

    /**
     * {@return whether the probe sits in an ELF file, so that it must be resolved against one; of a {@link #PAIR} see {@link
     * ProbeSpec#isInUserSpace}}
     */
    public boolean isInUserSpace() {
        return location != Location.KERNEL && location != Location.OF_ENDS;
    }

    /** {@return whether it stands for many probes, each with arguments of its own} */
    public boolean isManyProbes() {
        return extent == Extent.MANY_PROBES;
    }

    /** {@return how many ids it takes: one for each probe whose events it can write} */
    public int idCount() {
        return 1;
    }

    /** {@return whether a spec may list what is to be recorded of a hit} */
    public boolean takesArguments() {
        return !isManyProbes() && this != PROFILE;
    }

    /** {@return an argument that a spec may list, for a message} */
    public String argumentExample() {
        return argumentExample;
    }

    /** {@return values that a filter may compare, beside those of every kind, for a message; may be empty} */
    public String filterExample() {
        return filterExample;
    }

    /**
     * {@return the kind that a spec begins with}
     *
     * @param word {@code span} is {@link #SPAN}; {@code t} is the short form of tracepoint in bcc and bpftrace
     */
    public static Optional<ProbeKind> ofSpelling(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.spelling().equals(word) || (kind == TRACEPOINT && word.equals("t")))
                .findFirst();
    }
}
