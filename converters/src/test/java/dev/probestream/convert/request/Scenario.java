package dev.probestream.convert.request;

import dev.probestream.convert.request.origin.Callers;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Stack;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * What happened in a process, hit by hit: {@code at(10).on(LOOP).streamBegin(S)}. A hit is of the thread and the time
 * that were named last; {@code lasting} makes the next one a span.
 */
final class Scenario {
    static final int PID = 100;
    static final int LOOP = 100;
    static final int POOL = 101;

    /** What the assembler made of it. */
    record Result(List<Request> requests, Map<String, Long> numbers) {
        Request only() {
            if (requests.size() != 1) {
                throw new AssertionError("not one request: " + requests);
            }
            return requests.get(0);
        }

        Request of(String url) {
            return requests.stream()
                    .filter(request -> request.url().equals(url))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no " + url + " in " + requests));
        }

        /** The number that the hit with this label was given. */
        long number(String label) {
            return Objects.requireNonNull(numbers.get(label), label);
        }
    }

    private final List<ScenarioHit> hits = new ArrayList<>();
    private final Set<Probe> others = new LinkedHashSet<>();
    private final Set<Role> left = EnumSet.noneOf(Role.class);
    private boolean isComplete;
    private final LostHits lost = new LostHits();
    private long nowNs;
    private long lastingNs = -1;
    private int tid = LOOP;
    private String label = "";
    private long returnValue;
    private long stackId;
    /** The hit that begins what the loop handles; -1 = it handles no stream. */
    private int handled = -1;

    private final Callers callers = new Callers();

    Scenario at(long atNs) {
        nowNs = atNs;
        return this;
    }

    Scenario on(int thread) {
        tid = thread;
        return this;
    }

    /** The next hit is a span of that length. */
    Scenario lasting(long durationNs) {
        lastingNs = durationNs;
        return this;
    }

    /** The next hit is called so. */
    Scenario as(String name) {
        label = name;
        return this;
    }

    Scenario returning(long value) {
        returnValue = value;
        return this;
    }

    /** The next hit has the stack of this function of that file. */
    Scenario from(String function, String file) {
        return from(frame(function, file));
    }

    Scenario from(Frame... leafFirst) {
        stackId = 1L + Arrays.hashCode(leafFirst);
        callers.add(Stack.newBuilder()
                .setCaptureId(1)
                .setStackId(stackId)
                .setFrames(List.of(leafFirst))
                .build());
        return this;
    }

    static Frame frame(String function, String file) {
        return Frame.newBuilder()
                .setSymbol(function)
                .setModule("")
                .setOffset(0)
                .setKind(FrameKind.JS)
                .setFile(file)
                .setLine(1)
                .build();
    }

    /** No hit is missing. */
    Scenario complete() {
        isComplete = true;
        return this;
    }

    /** Hits of all roles were lost, at any time. */
    Scenario lossy() {
        return lossy(0, Long.MAX_VALUE);
    }

    /** Hits of all roles were lost between two moments. */
    Scenario lossy(long fromNs, long toNs) {
        EnumSet.allOf(Role.class).forEach(role -> losing(role, fromNs, toNs));
        return this;
    }

    /** Hits of that role were lost between two moments. */
    Scenario losing(Role role, long fromNs, long toNs) {
        Probe probe = RoleProbes.of(role);
        lost.probe(probe);
        lost.loss(new Loss(1L, probe.getProbeId(), 0, fromNs, toNs, 1L, LossReason.RING_FULL));
        return this;
    }

    /** The capture has no probe of this role. */
    Scenario without(Role role) {
        left.add(role);
        return this;
    }

    /** The loop calls back for a stream: for as long as was said, else until {@link #streamEnd} or until it does so again. */
    Scenario streamBegin(long stream) {
        return handle(RoleProbes.id(Role.LOOP_CALLBACK), stream);
    }

    /** The same, by a probe that has other arguments than those of its role here. */
    Scenario streamBegin(Probe probe, long... numbers) {
        others.add(probe);
        return handle(probe.getProbeId(), numbers);
    }

    private Scenario handle(int probeId, long... numbers) {
        if (lastingNs >= 0) {
            return add(probeId, EventKind.SPAN, new String[0], numbers);
        }
        streamEnd();
        handled = hits.size();
        return add(probeId, EventKind.OPEN_SPAN, new String[0], numbers);
    }

    Scenario openBefore(int fd, String remote, String local) {
        return hit(Role.STREAM_OPEN, new String[] {remote, local}, fd);
    }

    Scenario streamEnd() {
        if (handled >= 0) {
            hits.set(handled, hits.get(handled).until(nowNs));
        }
        handled = -1;
        return this;
    }

    Scenario accept(long stream, String remote, String local) {
        return hit(Role.STREAM_ACCEPT, new String[] {remote, local}, stream, 20);
    }

    Scenario connect(long stream, String remote) {
        return hit(Role.STREAM_CONNECT, new String[] {remote}, stream, stream + 8);
    }

    Scenario connected(long stream) {
        return connected(stream, 0);
    }

    /** result: 0, or a negative errno. */
    Scenario connected(long stream, int result) {
        return hit(Role.STREAM_CONNECTED, stream, result);
    }

    /** Bytes that JavaScript reads; line: the status line of an answer that they begin with, or "". */
    Scenario data(long stream, long bytes, String line) {
        return hit(RoleProbes.DATA, new String[] {line}, stream, bytes);
    }

    /** A session of the same number as its stream. */
    Scenario http2Request(long session, int id, String line) {
        return hit(Role.HTTP2_REQUEST, new String[] {line}, session, id, session);
    }

    Scenario http2Headers(long session, int id, int category, int flags) {
        return hit(Role.HTTP2_HEADERS, session, session + 1, id, category, flags, session);
    }

    /** All headers of a server's request without a body, a nanosecond a hit. */
    Scenario http2Get(long session, int id, String path) {
        http2Headers(session, id, 0, 1).at(nowNs + 1).hit(RoleProbes.VERB, new String[] {"GET"});
        return at(nowNs + 1).hit(RoleProbes.PATH, new String[] {path});
    }

    Scenario http2Status(int status) {
        return hit(Role.HTTP2_STATUS, status);
    }

    Scenario http2Method(long session, int id, String method) {
        return hit(RoleProbes.METHOD_OF_STREAM, new String[] {method}, session, id);
    }

    /** status: "" in trailers; grpcStatus: "" if there is none. */
    Scenario http2Status(long session, int id, String status, String grpcStatus) {
        return hit(RoleProbes.STATUS_OF_STREAM, new String[] {status, grpcStatus}, session, id);
    }

    Scenario http2Answer(long session, int id, String status) {
        return hit(Role.HTTP2_ANSWER, new String[] {status}, session + 1, id);
    }

    Scenario http2Trailers(long session, int id, String grpcStatus) {
        return hit(Role.HTTP2_TRAILERS, new String[] {grpcStatus}, session + 1, id);
    }

    Scenario http2Data(long session, int id, int flags, int bytes) {
        return hit(Role.HTTP2_DATA, session, id, flags, bytes);
    }

    Scenario http2Close(long session, int id, int code) {
        return hit(Role.HTTP2_CLOSE, session, id, code);
    }

    /** Streams have the descriptor 20. */
    Scenario read(long stream, long bytes) {
        return hit(Role.STREAM_READ, stream, 20, bytes);
    }

    Scenario write(long stream, long bytes) {
        return hit(Role.STREAM_WRITE, stream, bytes);
    }

    Scenario close(long stream) {
        return hit(Role.STREAM_CLOSE, stream, 20);
    }

    Scenario line(long stream, String line) {
        return hit(Role.HTTP_LINE, new String[] {line}, stream, 0);
    }

    /** A reading of so many bytes, which begins with a request to a server. */
    Scenario requestRead(long stream, long bytes, String line) {
        return hit(Role.HTTP_READ, new String[] {line}, stream, bytes);
    }

    Scenario httpBegin(long parser, int type) {
        return hit(Role.HTTP_BEGIN, parser, type);
    }

    Scenario httpUrl(long parser, String url) {
        return hit(Role.HTTP_URL, new String[] {url}, parser);
    }

    /** method: llhttp's number; HTTP/1.1. */
    Scenario requestHeaders(long parser, int method, int flags) {
        return hit(Role.HTTP_HEADERS, parser, 1, method, 0, 1, 1, flags, 0);
    }

    Scenario answerHeaders(long parser, int status, int flags) {
        return hit(Role.HTTP_HEADERS, parser, 2, 0, status, 1, 1, flags, 0);
    }

    Scenario httpEnd(long parser) {
        return hit(Role.HTTP_END, parser);
    }

    /** All of a GET without a body, a nanosecond a hit. */
    Scenario get(long parser, String url) {
        httpBegin(parser, 1).at(nowNs + 1).httpUrl(parser, url);
        return at(nowNs + 1).requestHeaders(parser, 1, 0).at(nowNs + 1).httpEnd(parser);
    }

    /** The same of an answer. */
    Scenario answer(long parser, int status) {
        httpBegin(parser, 2).at(nowNs + 1).answerHeaders(parser, status, 0x20);
        return at(nowNs + 1).httpEnd(parser);
    }

    /** A statement that was answered with three rows, 40 bytes out and 90 in; -1 as its length: it was not answered. */
    Scenario statement(long stream, String operation, String reply, String errorCode) {
        String[] texts = {"postgresql", operation, operation + " ***", reply, errorCode, "10.0.0.3:5432", "", ""};
        EventKind kind = lastingNs < 0 ? EventKind.OPEN_SPAN : EventKind.SPAN;
        return add(RoleProbes.id(Role.DB_STATEMENT), kind, texts, stream, 0, reply.isEmpty() ? -1 : 3, 40, 90);
    }

    /** A statement of which it is not known when it was answered. */
    Scenario unmatched(long stream, String operation) {
        String[] texts = {"redis", operation, operation + " ***", "", "", "10.0.0.3:6379", "", ""};
        return lasting(0).add(RoleProbes.id(Role.DB_STATEMENT), EventKind.OPEN_SPAN, texts, stream, 0, -1, 40, -1);
    }

    Scenario unmatched(Probe probe, String[] texts, long... numbers) {
        others.add(probe);
        return lasting(0).add(probe.getProbeId(), EventKind.OPEN_SPAN, texts, numbers);
    }

    Scenario callerConnects(long stream) {
        return hit(Role.CALLER_CONNECT, stream);
    }

    Scenario callerWrites(long stream) {
        return hit(Role.CALLER_WRITE, stream);
    }

    Scenario submit(long request) {
        return hit(Role.POOL_SUBMIT, request);
    }

    Scenario work(long request) {
        return hit(Role.POOL_WORK, request);
    }

    Scenario done(long request) {
        return hit(Role.POOL_DONE, request);
    }

    Scenario poll() {
        return hit(Role.LOOP_POLL, 1);
    }

    Scenario phase() {
        return hit(Role.LOOP_PHASE);
    }

    Scenario gc() {
        return hit(Role.GC_PAUSE);
    }

    /** A hit that means nothing in itself. */
    Scenario plain() {
        return add(RoleProbes.PLAIN, lastingNs < 0 ? EventKind.INSTANT : EventKind.SPAN, new String[0]);
    }

    Scenario flow(int probeId, long value) {
        return add(probeId, lastingNs < 0 ? EventKind.INSTANT : EventKind.SPAN, new String[0], value);
    }

    /** The thread gives the cpu to another one, or to none (0). */
    Scenario switchTo(int nextTid) {
        return add(
                RoleProbes.SWITCH,
                EventKind.SWITCH,
                new String[] {"", ""},
                tid,
                PID,
                120,
                0,
                nextTid,
                nextTid == 0 ? 0 : PID,
                120);
    }

    /** A hit of a probe that has other arguments than those of its role here. */
    Scenario hit(Probe probe, String[] texts, long... numbers) {
        others.add(probe);
        return add(probe.getProbeId(), lastingNs < 0 ? EventKind.INSTANT : EventKind.SPAN, texts, numbers);
    }

    /** The thread has no cpu, where such times are spans; it was ready for the last part. */
    Scenario offCpu(long readyNs) {
        return hit(Role.SCHED_OFF, 1, readyNs);
    }

    private Scenario hit(Role role, long... numbers) {
        return hit(role, new String[0], numbers);
    }

    private Scenario hit(Role role, String[] texts, long... numbers) {
        return add(RoleProbes.id(role), lastingNs < 0 ? EventKind.INSTANT : EventKind.SPAN, texts, numbers);
    }

    private Scenario add(int probeId, EventKind kind, String[] texts, long... numbers) {
        hits.add(new ScenarioHit(
                label,
                probeId,
                kind,
                nowNs,
                lastingNs,
                tid,
                LongStream.of(numbers).boxed().toList(),
                List.of(texts),
                returnValue,
                stackId));
        label = "";
        lastingNs = -1;
        returnValue = 0;
        stackId = 0;
        return this;
    }

    List<ScenarioHit> hits() {
        return hits;
    }

    /** In the order of the hits' start. */
    Result assemble() throws IOException {
        List<ScenarioHit> inOrder = new ArrayList<>(hits);
        inOrder.sort(Comparator.comparingLong(ScenarioHit::atNs));
        return assemble(inOrder, inOrder.get(inOrder.size() - 1).atNs());
    }

    Result assemble(List<ScenarioHit> inOrder, long endNs) throws IOException {
        Result result = new Result(new ArrayList<>(), new HashMap<>());
        RequestAssembler assembler = new RequestAssembler(result.requests::add, callers);
        play(inOrder, assembler, result);
        assembler.finish(endNs);
        return result;
    }

    /** Feeds the assembler without finishing. */
    void play(List<ScenarioHit> inOrder, RequestAssembler assembler, Result result) throws IOException {
        probes().forEach(assembler::probe);
        if (isComplete) {
            assembler.trustAbsence();
        }
        assembler.lost(lost);
        probes().forEach(lost::probe);
        inOrder.forEach(hit -> lost.seen(hit.view(PID)));
        for (ScenarioHit hit : inOrder) {
            result.numbers.put(hit.label(), assembler.event(hit.view(PID)));
        }
    }

    private List<Probe> probes() {
        List<Probe> probes = new ArrayList<>(others);
        EnumSet.complementOf(EnumSet.copyOf(left)).stream()
                .filter(role -> role != Role.SCHED_OFF || hasHits(RoleProbes.id(role)))
                .map(RoleProbes::of)
                .forEach(probes::add);
        probes.add(RoleProbes.probe(RoleProbes.PLAIN, EventKind.INSTANT, "", ""));
        if (hasHits(RoleProbes.SWITCH)) {
            probes.add(RoleProbes.probe(RoleProbes.SWITCH, EventKind.SWITCH, "", ""));
        }
        probes.addAll(RoleProbes.flow());
        return probes;
    }

    private boolean hasHits(int probeId) {
        return hits.stream().anyMatch(hit -> hit.probeId() == probeId);
    }
}
