package dev.probestream.bpf.kernel;

/**
 * How a program will be attached, declared when it is loaded ({@code expected_attach_type} in linux/bpf.h,
 * {@code enum bpf_attach_type}).
 */
public enum AttachType {
    /** Not declared: perf uprobes, tracepoints, raw tracepoints. */
    NONE(0),
    /** A BTF-typed raw tracepoint (program type TRACING). */
    TRACE_RAW_TP(23),
    /** The entry of a kernel function (program type TRACING). */
    TRACE_FENTRY(24),
    /** The return of a kernel function (program type TRACING). */
    TRACE_FEXIT(25),
    /** uprobe_multi, since 6.6 (linux/bpf.h of v6.6: BPF_TRACE_UPROBE_MULTI). */
    TRACE_UPROBE_MULTI(48);

    private final int number;

    AttachType(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
