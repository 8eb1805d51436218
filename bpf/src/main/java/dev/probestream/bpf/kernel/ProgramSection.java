package dev.probestream.bpf.kernel;

import java.util.List;
import java.util.Optional;

/**
 * What the name of a program's section says, by the convention of libbpf (docs.kernel.org/bpf/libbpf/program_types.html).
 *
 * @param name of the section, without the question mark of programs that are loaded only on request
 * @param type of the program
 * @param attachType passed to the kernel when the program is loaded
 * @param isSleepable whether the program may sleep ({@code .s})
 * @param target what follows the first slash: a tracepoint, or a file and a function; "" = nothing
 * @param kind which means of attaching
 */
public record ProgramSection(
        String name, ProgramType type, AttachType attachType, boolean isSleepable, String target, Kind kind) {
    /** The means by which a program of a section is attached. */
    public enum Kind {
        /** A uprobe at an instruction or the entry of a function. */
        UPROBE,
        /** A uprobe at the return of a function. */
        URETPROBE,
        /** A USDT probe. */
        USDT,
        /** A kernel function by name. */
        KPROBE,
        /** A tracepoint by perf event. */
        TRACEPOINT,
        /** A raw tracepoint, typed or not. */
        RAW_TRACEPOINT,
        /** The entry or the return of a kernel function. */
        FUNCTION,
        /** Samples of a perf event. */
        PERF_EVENT,
        /** A socket. */
        SOCKET
    }

    private record Row(String prefix, ProgramType type, AttachType attachType, boolean isSleepable, Kind kind) {
        Row(String prefix, ProgramType type, Kind kind) {
            this(prefix, type, AttachType.NONE, false, kind);
        }
    }

    private static final List<Row> ROWS = List.of(
            new Row("uprobe", ProgramType.KPROBE, Kind.UPROBE),
            new Row("uprobe.s", ProgramType.KPROBE, AttachType.NONE, true, Kind.UPROBE),
            new Row("uretprobe", ProgramType.KPROBE, Kind.URETPROBE),
            new Row("uretprobe.s", ProgramType.KPROBE, AttachType.NONE, true, Kind.URETPROBE),
            new Row("uprobe.multi", ProgramType.KPROBE, AttachType.TRACE_UPROBE_MULTI, false, Kind.UPROBE),
            new Row("uprobe.multi.s", ProgramType.KPROBE, AttachType.TRACE_UPROBE_MULTI, true, Kind.UPROBE),
            new Row("uretprobe.multi", ProgramType.KPROBE, AttachType.TRACE_UPROBE_MULTI, false, Kind.URETPROBE),
            new Row("uretprobe.multi.s", ProgramType.KPROBE, AttachType.TRACE_UPROBE_MULTI, true, Kind.URETPROBE),
            new Row("usdt", ProgramType.KPROBE, Kind.USDT),
            new Row("kprobe", ProgramType.KPROBE, Kind.KPROBE),
            new Row("kretprobe", ProgramType.KPROBE, Kind.KPROBE),
            new Row("ksyscall", ProgramType.KPROBE, Kind.KPROBE),
            new Row("kretsyscall", ProgramType.KPROBE, Kind.KPROBE),
            new Row("tracepoint", ProgramType.TRACEPOINT, Kind.TRACEPOINT),
            new Row("tp", ProgramType.TRACEPOINT, Kind.TRACEPOINT),
            new Row("raw_tracepoint", ProgramType.RAW_TRACEPOINT, Kind.RAW_TRACEPOINT),
            new Row("raw_tp", ProgramType.RAW_TRACEPOINT, Kind.RAW_TRACEPOINT),
            new Row("tp_btf", ProgramType.TRACING, AttachType.TRACE_RAW_TP, false, Kind.RAW_TRACEPOINT),
            new Row("fentry", ProgramType.TRACING, AttachType.TRACE_FENTRY, false, Kind.FUNCTION),
            new Row("fentry.s", ProgramType.TRACING, AttachType.TRACE_FENTRY, true, Kind.FUNCTION),
            new Row("fexit", ProgramType.TRACING, AttachType.TRACE_FEXIT, false, Kind.FUNCTION),
            new Row("fexit.s", ProgramType.TRACING, AttachType.TRACE_FEXIT, true, Kind.FUNCTION),
            new Row("perf_event", ProgramType.PERF_EVENT, Kind.PERF_EVENT),
            new Row("socket", ProgramType.SOCKET_FILTER, Kind.SOCKET));

    /**
     * {@return what the name of a section says; empty for one of a kind that is not supported}
     *
     * @param section such as {@code tracepoint/sched/sched_switch}
     */
    public static Optional<ProgramSection> parse(String section) {
        String name = section.startsWith("?") ? section.substring(1) : section;
        int slash = name.indexOf('/');
        String prefix = slash < 0 ? name : name.substring(0, slash);
        String target = slash < 0 ? "" : name.substring(slash + 1);
        return ROWS.stream()
                .filter(row -> row.prefix().equals(prefix))
                .map(row ->
                        new ProgramSection(name, row.type(), row.attachType(), row.isSleepable(), target, row.kind()))
                .findFirst();
    }
}
