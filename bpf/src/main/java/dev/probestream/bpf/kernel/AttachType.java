package dev.probestream.bpf.kernel;

/**
 * How a program says at load time that it will be attached ({@code expected_attach_type} in linux/bpf.h,
 * {@code enum bpf_attach_type}).
 */
public enum AttachType {
    /** Nothing said: perf uprobes, tracepoints, raw tracepoints. */
    NONE(0),
    /** A BTF-typed raw tracepoint (program type TRACING). */
    TRACE_RAW_TP(23),
    /** What BPF_LINK_CREATE is told for a perf event; never needed at load. */
    PERF_EVENT(41),
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
