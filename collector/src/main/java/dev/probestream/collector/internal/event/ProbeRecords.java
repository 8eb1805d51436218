package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.code.PlannedSyscalls;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.connection.DatabaseProtocols;
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

    private static final String STATEMENT_ROLE = "db.statement";
    private static final String WEB_SOCKET_ROLE = "websocket.connection";
    /** Which of the arguments of a statement the trace id is; the span id is the next. */
    private static final int STATEMENT_TRACE_ID = 14;

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

    /** The record of statements of databases, which are put together from the hits of several probes. */
    static Probe ofStatements(long captureId, int probeId, String category) {
        return new Probe(
                captureId,
                probeId,
                "",
                "statement",
                category,
                EventKind.SPAN,
                "",
                List.of(
                        new Argument("stream", "ptr", "", FlowStep.STEP, Map.of()),
                        new Argument("tls", "ptr", "", FlowStep.NONE, Map.of()),
                        new Argument("protocol", "str", "", FlowStep.NONE, DatabaseProtocols.titles()),
                        new Argument("operation", "str", "", FlowStep.NONE, Map.of()),
                        new Argument("statement", "str", "", FlowStep.NONE, Map.of()),
                        new Argument("rows", "s64", "count", FlowStep.NONE, Map.of("-1", "not known")),
                        new Argument("reply", "str", "", FlowStep.NONE, Map.of()),
                        new Argument("error_code", "str", "", FlowStep.NONE, Map.of()),
                        new Argument("sent", "s64", "bytes", FlowStep.NONE, Map.of()),
                        new Argument("received", "s64", "bytes", FlowStep.NONE, Map.of()),
                        new Argument("remote", "str", "", FlowStep.NONE, Map.of()),
                        argument(ContextValue.ASYNC_ID),
                        argument(ContextValue.TRIGGER_ID),
                        argument(ContextValue.REQUEST),
                        argument(ContextValue.TRACE_ID),
                        argument(ContextValue.SPAN_ID),
                        argument(ContextValue.SERVED_STREAM),
                        new Argument("batch", "s64", "count", FlowStep.NONE, Map.of())),
                "",
                "",
                STATEMENT_ROLE,
                false);
    }

    /** The bits of the arguments of a statement that are not known: texts of its context. */
    static long statementUnavailable(Moment.Context context) {
        return (context.traceId().isEmpty() ? 1L << STATEMENT_TRACE_ID : 0)
                | (context.spanId().isEmpty() ? 1L << (STATEMENT_TRACE_ID + 1) : 0);
    }

    /** The record of WebSocket connections, whose messages are counted by the programs of several probes. */
    static Probe ofWebSockets(long captureId, int probeId, String category) {
        Map<String, String> atLeast = Map.of("0", "all", "1", "at least");
        return new Probe(
                captureId,
                probeId,
                "",
                "WebSocket",
                category,
                EventKind.SPAN,
                "",
                List.of(
                        new Argument("stream", "ptr", "", FlowStep.STEP, Map.of()),
                        new Argument("tls", "s32", "", FlowStep.NONE, Map.of()),
                        new Argument("accepted", "s32", "", FlowStep.NONE, Map.of("0", "connected", "1", "accepted")),
                        new Argument("received_messages", "s64", "count", FlowStep.NONE, Map.of()),
                        new Argument("sent_messages", "s64", "count", FlowStep.NONE, Map.of()),
                        new Argument("received", "s64", "bytes", FlowStep.NONE, Map.of()),
                        new Argument("sent", "s64", "bytes", FlowStep.NONE, Map.of()),
                        new Argument("received_at_least", "s32", "", FlowStep.NONE, atLeast),
                        new Argument("sent_at_least", "s32", "", FlowStep.NONE, atLeast),
                        new Argument("remote", "str", "", FlowStep.NONE, Map.of())),
                "",
                "",
                WEB_SOCKET_ROLE,
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

    private static Argument argument(ContextValue value) {
        return argument(ArgumentSpec.of(value.argumentName(), ArgumentSource.context(value), value.type()));
    }

    private static Argument argument(ArgumentSpec argument) {
        return new Argument(
                argument.name(), argument.type().recordName(), argument.unit(), argument.flow(), argument.labels());
    }
}
