package dev.probestream.collector.request;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.syscall.SyscallTable;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpanEnds;
import dev.probestream.collector.probe.parse.SpecParser;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Counts {@code syscalls:all} as spans between the tracepoints at which system calls begin and end. Their arguments are
 * {@code name} of the call and {@code ret}, what it returned.
 */
final class SyscallSpans {
    /** They return to no caller. */
    private static final List<String> WITHOUT_END = List.of("exit", "exit_group");

    private static final String NAME = "name";

    private SyscallSpans() {}

    /** The same histogram, of spans if it is one of system calls. */
    static HistogramSpec counted(HistogramSpec spec) {
        if (spec.probe().kind() != ProbeKind.SYSCALLS) {
            return spec;
        }
        return new HistogramSpec(
                probe(spec.probe(), names()), spec.keys(), spec.of(), spec.bucketing(), spec.title(), spec.textBytes());
    }

    private static ProbeSpec probe(ProbeSpec syscalls, Map<String, String> names) {
        String others = names.entrySet().stream()
                .filter(call -> WITHOUT_END.contains(call.getValue()))
                .map(call -> "arg2 != " + call.getKey())
                .sorted()
                .collect(Collectors.joining(" && "));
        String flags =
                (syscalls.stack().user() ? " [ustack]" : "") + (syscalls.stack().kernel() ? " [kstack]" : "");
        ProbeSpec pair = SpecParser.parse("span(rawtracepoint:sys_enter(" + NAME + "=arg2) /" + others
                + "/ -> rawtracepoint:sys_exit(" + HistogramSpec.RET + "=arg2))" + flags);
        SpanEnds ends = pair.ends().orElseThrow();
        List<ArgumentSpec> labelled = ends.begin().arguments().stream()
                .map(argument -> argument.labelled(names))
                .toList();
        return pair.between(
                new SpanEnds(ends.begin().recording(labelled, argument -> argument), ends.end(), ends.keys()));
    }

    /** The names of this machine's system calls, by their numbers. */
    private static Map<String, String> names() {
        SyscallTable table = SyscallTable.ofThisMachine();
        Map<String, String> names = new HashMap<>();
        IntStream.range(0, SyscallProbes.COUNT - 1)
                .forEach(number -> names.put(
                        String.valueOf(number), table.signature(number).name()));
        return names;
    }
}
