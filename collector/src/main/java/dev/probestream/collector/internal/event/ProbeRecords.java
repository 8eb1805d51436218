package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.syscall.SyscallSignature;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ReturnSpec;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.List;
import java.util.Map;

/** Creates the Probe records of a capture. */
public final class ProbeRecords {
    private static final String KERNEL = "kernel";

    /** To the assembler of requests it is a connection whose beginning the capture does not have. */
    private static final String OPEN_CONNECTION_ROLE = "stream.open";

    private ProbeRecords() {}

    /** Creates the record of a probe. */
    public static Probe of(long captureId, PlannedProbe probe) {
        return new Probe(
                captureId,
                probe.probeId(),
                probe.spec().text(),
                probe.name(),
                probe.spec().preset().category(),
                probe.layout().kind(),
                probe.module(),
                arguments(probe.arguments()),
                probe.spec().result().map(result -> result.type().recordName()).orElse(""),
                probe.spec().result().map(result -> result.unit()).orElse(""),
                probe.spec().preset().role(),
                probe.spec().untilNext() && probe.layout().kind() == EventKind.SPAN);
    }

    /** The record of one of the cases of a probe. */
    static Probe ofCase(long captureId, PlannedProbe probe, ProbeCases.Case one) {
        return new Probe(
                captureId,
                probe.probeId() + 1 + one.index(),
                probe.spec().text(),
                one.name(),
                probe.spec().preset().category(),
                probe.layout().kind(),
                probe.module(),
                arguments(one.arguments()),
                one.result().map(result -> result.type().recordName()).orElse(""),
                one.result().map(ReturnSpec::unit).orElse(""),
                probe.spec().preset().role(),
                false);
    }

    /** The record of the events of {@link EventDecoder#openConnection}. No program is attached for it. */
    public static Probe ofOpenConnections(long captureId, int probeId, String category) {
        return new Probe(
                captureId,
                probeId,
                "",
                "open connection",
                category,
                EventKind.INSTANT,
                KERNEL,
                List.of(
                        new Argument("fd", "s32", "", FlowStep.NONE, Map.of()),
                        new Argument("remote", "str", "", FlowStep.NONE, Map.of()),
                        new Argument("local", "str", "", FlowStep.NONE, Map.of()),
                        new Argument("accepted", "s32", "", FlowStep.NONE, Map.of("0", "not known", "1", "accepted"))),
                "",
                "",
                OPEN_CONNECTION_ROLE,
                false);
    }

    static Probe ofSyscall(long captureId, int probeId, PlannedSyscalls syscalls, SyscallSignature signature) {
        return new Probe(
                captureId,
                probeId,
                syscalls.spec().text(),
                signature.name(),
                ProbeKind.SYSCALLS.spelling(),
                EventKind.SPAN,
                KERNEL,
                arguments(signature.arguments()),
                "s64",
                "errno",
                "",
                false);
    }

    private static List<Argument> arguments(List<ArgumentSpec> arguments) {
        return arguments.stream().map(ProbeRecords::argument).toList();
    }

    static Argument argument(ContextValue value) {
        return argument(ArgumentSpec.of(value.argumentName(), ArgumentSource.context(value), value.type()));
    }

    private static Argument argument(ArgumentSpec argument) {
        return new Argument(
                argument.name(), argument.type().recordName(), argument.unit(), argument.flow(), argument.labels());
    }
}
