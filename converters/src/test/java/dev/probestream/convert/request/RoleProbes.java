package dev.probestream.convert.request;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The probes of a {@link Scenario}: one for each role, with the arguments that its hits have there, and some without a role. */
final class RoleProbes {
    /** Probes without a role, by their id: one that means nothing, switches of threads, and both ends of a flow. */
    static final int PLAIN = 90;

    static final int SWITCH = 91;
    static final int FLOW_START = 92;
    static final int FLOW_END = 93;

    private static final Map<Role, List<String>> NUMBERS = Map.ofEntries(
            Map.entry(Role.STREAM_OPEN, List.of("fd")),
            Map.entry(Role.STREAM_ACCEPT, List.of("stream", "fd")),
            Map.entry(Role.STREAM_CONNECT, List.of("stream", "request")),
            Map.entry(Role.STREAM_CONNECTED, List.of("stream", "result")),
            Map.entry(Role.STREAM_READ, List.of("stream", "fd", "bytes")),
            Map.entry(Role.STREAM_WRITE, List.of("stream", "bytes")),
            Map.entry(Role.STREAM_CLOSE, List.of("stream", "fd")),
            Map.entry(Role.HTTP_READ, List.of("stream", "bytes")),
            Map.entry(Role.HTTP_BEGIN, List.of("parser", "type")),
            Map.entry(Role.HTTP_URL, List.of("parser")),
            Map.entry(
                    Role.HTTP_HEADERS,
                    List.of("parser", "type", "method", "status", "major", "minor", "flags", "upgrade")),
            Map.entry(Role.HTTP_END, List.of("parser")),
            Map.entry(Role.HTTP_LINE, List.of("stream", "tls")),
            Map.entry(Role.HTTP2_REQUEST, List.of("session", "id", "stream")),
            Map.entry(Role.HTTP2_HEADERS, List.of("session", "nghttp2", "id", "category", "flags", "stream")),
            Map.entry(Role.HTTP2_STATUS, List.of("status")),
            Map.entry(Role.HTTP2_ANSWER, List.of("nghttp2", "id")),
            Map.entry(Role.HTTP2_DATA, List.of("session", "id", "flags", "bytes")),
            Map.entry(Role.HTTP2_TRAILERS, List.of("nghttp2", "id")),
            Map.entry(Role.HTTP2_CLOSE, List.of("session", "id", "code")),
            Map.entry(Role.DB_STATEMENT, List.of("stream", "tls", "rows", "sent", "received")),
            Map.entry(Role.CALLER_CONNECT, List.of("stream")),
            Map.entry(Role.CALLER_WRITE, List.of("stream")),
            Map.entry(Role.POOL_SUBMIT, List.of("request")),
            Map.entry(Role.POOL_WORK, List.of("request")),
            Map.entry(Role.POOL_DONE, List.of("request")),
            Map.entry(Role.LOOP_POLL, List.of("loop")),
            Map.entry(Role.LOOP_CALLBACK, List.of("stream")),
            Map.entry(Role.LOOP_PHASE, List.of()),
            Map.entry(Role.GC_PAUSE, List.of()));

    private static final Map<Role, List<String>> TEXTS = Map.of(
            Role.STREAM_OPEN, List.of("remote", "local"),
            Role.STREAM_ACCEPT, List.of("remote", "local"),
            Role.STREAM_CONNECT, List.of("remote"),
            Role.HTTP_READ, List.of("line"),
            Role.HTTP_URL, List.of("url"),
            Role.HTTP_LINE, List.of("line"),
            Role.HTTP2_REQUEST, List.of("line"),
            Role.HTTP2_ANSWER, List.of("answer"),
            Role.HTTP2_TRAILERS, List.of("grpc_status"),
            Role.DB_STATEMENT,
                    List.of(
                            "protocol",
                            "operation",
                            "statement",
                            "reply",
                            "error_code",
                            "remote",
                            "trace_id",
                            "span_id"));

    /** Bytes that JavaScript reads, with the line that they begin with. */
    static final Probe DATA = probe(94, EventKind.INSTANT, Role.STREAM_DATA.spelling(), "");
    /** Fields of an HTTP/2 request: the method, and the path. */
    static final Probe VERB = probe(95, EventKind.INSTANT, Role.HTTP2_FIELD.spelling(), "");

    static final Probe PATH = probe(96, EventKind.INSTANT, Role.HTTP2_FIELD.spelling(), "");
    /** Headers of a stream that are complete: the method of a request; the status of an answer, and that of gRPC. */
    static final Probe METHOD_OF_STREAM = probe(97, EventKind.INSTANT, Role.HTTP2_FIELD.spelling(), "");

    static final Probe STATUS_OF_STREAM = probe(98, EventKind.INSTANT, Role.HTTP2_STATUS.spelling(), "");

    static {
        DATA.getArguments().add(argument("stream", "s64", FlowStep.NONE));
        DATA.getArguments().add(argument("bytes", "s64", FlowStep.NONE));
        DATA.getArguments().add(argument("line", "str", FlowStep.NONE));
        VERB.getArguments().add(argument("verb", "str", FlowStep.NONE));
        PATH.getArguments().add(argument("url", "str", FlowStep.NONE));
        for (Probe ofStream : List.of(METHOD_OF_STREAM, STATUS_OF_STREAM)) {
            ofStream.getArguments().add(argument("session", "ptr", FlowStep.NONE));
            ofStream.getArguments().add(argument("id", "s32", FlowStep.NONE));
        }
        METHOD_OF_STREAM.getArguments().add(argument("verb", "str", FlowStep.NONE));
        STATUS_OF_STREAM.getArguments().add(argument("answer", "str", FlowStep.NONE));
        STATUS_OF_STREAM.getArguments().add(argument("grpc_status", "str", FlowStep.NONE));
    }

    private RoleProbes() {}

    static int id(Role role) {
        return List.of(Role.values()).indexOf(role) + 1;
    }

    /** The probe of that role. */
    static Probe of(Role role) {
        Probe probe = probe(id(role), EventKind.INSTANT, role.spelling(), role == Role.STREAM_WRITE ? "s32" : "");
        NUMBERS.getOrDefault(role, List.of())
                .forEach(name -> probe.getArguments().add(argument(name, "s64", FlowStep.NONE)));
        TEXTS.getOrDefault(role, List.of())
                .forEach(name -> probe.getArguments().add(argument(name, "str", FlowStep.NONE)));
        return probe;
    }

    static List<Probe> flow() {
        Probe start = probe(FLOW_START, EventKind.INSTANT, "", "");
        start.getArguments().add(argument("job", "ptr", FlowStep.START));
        Probe end = probe(FLOW_END, EventKind.SPAN, "", "");
        end.getArguments().add(argument("job", "ptr", FlowStep.END));
        return List.of(start, end);
    }

    /** One that has no arguments yet. */
    static Probe probe(int id, EventKind kind, String role, String returnType) {
        return Probe.newBuilder()
                .setCaptureId(1)
                .setProbeId(id)
                .setSpec("")
                .setName("")
                .setCategory("")
                .setKind(kind)
                .setModule("")
                .setArguments(new ArrayList<>())
                .setReturnType(returnType)
                .setReturnUnit("")
                .setRole(role)
                .build();
    }

    static Argument argument(String name, String type, FlowStep flow) {
        return Argument.newBuilder()
                .setName(name)
                .setType(type)
                .setUnit("")
                .setFlow(flow)
                .setLabels(Map.of())
                .build();
    }
}
