package dev.probestream.bpf.kernel;

/** The supported types of program, with the numbers of {@code enum bpf_prog_type} in linux/bpf.h and their contexts. */
public enum ProgramType {
    /** Programs for sockets; R1 points to {@code struct __sk_buff}. They are loaded here, and not attached. */
    SOCKET_FILTER(1),
    /** Uprobes and kprobes; R1 points to {@code struct pt_regs}. */
    KPROBE(2),
    /** Tracepoints by perf event; R1 points to the record that the event's format file describes. */
    TRACEPOINT(5),
    /** Samples of a perf event; R1 points to {@code struct bpf_perf_event_data}: the registers, the period. */
    PERF_EVENT(7),
    /** R1 points to {@code u64[]}: the tracepoint's own arguments. */
    RAW_TRACEPOINT(17),
    /**
     * BTF-typed tracing: with {@link AttachType#TRACE_RAW_TP}, R1 points to {@code u64[]} whose pointers are typed.
     * With the others, R1 points to the function's arguments.
     */
    TRACING(26);

    private final int number;

    ProgramType(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
