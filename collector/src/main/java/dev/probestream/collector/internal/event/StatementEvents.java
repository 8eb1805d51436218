package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.connection.Connections;
import dev.probestream.collector.internal.protocol.connection.DatabaseProtocols;
import dev.probestream.collector.internal.protocol.connection.Endpoint;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes an event of each statement that is sent to a database. Its probe, which no program is attached for, is described before
 * the first one. Used only by the thread that reads the ring.
 */
final class StatementEvents implements PartEvents {
    private static final String ROLE = "db.statement";
    /** Which of the arguments the trace id is; the span id is the next. */
    private static final int TRACE_ID = 14;
    /** The duration of an open span of which it is not known when it ended. */
    private static final long UNMATCHED_NS = 0;

    private final long captureId;
    private final EventSequence events;
    private final EventDecoder.Consumer consumer;
    private final StatementSamples samples;
    /** 0 = the collector has given none. */
    private int probeId;

    private boolean isProbePublished;
    /** When statements are not seen any more that have no answer yet; 0 = at the end of the capture. */
    private long closedNs;

    private Consumer<Endpoint> foreignStreams = endpoint -> {};

    /** @param consumer takes the record of the probe, before the first event */
    StatementEvents(long captureId, EventSequence events, EventDecoder.Consumer consumer, Disclosure shown) {
        this.captureId = captureId;
        this.events = events;
        this.consumer = consumer;
        this.samples = new StatementSamples(shown, new Listener());
    }

    @Override
    public OwnProbe probe() {
        return OwnProbe.STATEMENT;
    }

    @Override
    public void begin(int eventProbeId) {
        probeId = eventProbeId;
    }

    /** Before the first sample: takes streams that turn out to be none to a database. */
    void passForeign(Consumer<Endpoint> foreign) {
        foreignStreams = foreign;
    }

    @Override
    public boolean add(PlannedProbe probe) {
        return samples.add(probe);
    }

    @Override
    public void sample(int streamProbeId, ByteBuffer buffer, int offset, int lengthBytes, boolean isOpen) {
        samples.sample(streamProbeId, buffer, offset, lengthBytes);
    }

    /** Statements without an answer become open spans. */
    @Override
    public void interrupt() {
        samples.connections().interrupt();
    }

    @Override
    public void interrupt(Set<String> categories, long windowsClosedNs) {
        if (categories.contains(samples.category())) {
            closedNs = windowsClosedNs;
            interrupt();
            closedNs = 0;
        }
    }

    /** How many statements were sent that are not recorded. */
    long undecoded() {
        return samples.connections().undecoded();
    }

    /** How many statements are recorded without their answers, which cannot be distinguished from those of others. */
    long unmatched() {
        return samples.connections().unmatched();
    }

    private void event(
            Endpoint endpoint, DatabaseProtocol protocol, Statement statement, long durationNs, EventKind kind) {
        if (!isProbePublished) {
            isProbePublished = true;
            consumer.probe(record());
        }
        Moment written = statement.written();
        Moment.Context context = written.context();
        EventEncoder encoder = events.begin(
                written.timestampNs(), durationNs, endpoint.pid(), written.tid(), written.cpu(), probeId, kind);
        boolean isUnmatched = kind == EventKind.OPEN_SPAN && durationNs == UNMATCHED_NS;
        encodeAll(
                encoder,
                endpoint.stream(),
                endpoint.tls(),
                isUnmatched ? Statement.UNKNOWN_ROWS : statement.rows(),
                statement.sentBytes(),
                isUnmatched ? -1 : statement.receivedBytes(),
                context.asyncId(),
                context.triggerId(),
                context.request(),
                context.servedStream(),
                written.batch().statements());
        encodeAll(
                encoder,
                protocol.name(),
                statement.operation(),
                statement.text(),
                isUnmatched ? "" : statement.reply(),
                isUnmatched ? "" : statement.errorCode(),
                endpoint.remote(),
                context.traceId(),
                context.spanId());
        events.end(0, 0, unavailable(context));
    }

    /** The record of statements of databases, which are put together from the hits of several probes. */
    private Probe record() {
        return new Probe(
                captureId,
                probeId,
                "",
                "statement",
                samples.category(),
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
                        new Argument("received", "s64", "bytes", FlowStep.NONE, Map.of("-1", "not known")),
                        new Argument("remote", "str", "", FlowStep.NONE, Map.of()),
                        ProbeRecords.argument(ContextValue.ASYNC_ID),
                        ProbeRecords.argument(ContextValue.TRIGGER_ID),
                        ProbeRecords.argument(ContextValue.REQUEST),
                        ProbeRecords.argument(ContextValue.TRACE_ID),
                        ProbeRecords.argument(ContextValue.SPAN_ID),
                        ProbeRecords.argument(ContextValue.SERVED_STREAM),
                        new Argument("batch", "s64", "count", FlowStep.NONE, Map.of())),
                "",
                "",
                ROLE,
                false);
    }

    /** The bits of the arguments of a statement that are not known: texts of its context. */
    private static long unavailable(Moment.Context context) {
        return (context.traceId().isEmpty() ? 1L << TRACE_ID : 0)
                | (context.spanId().isEmpty() ? 1L << (TRACE_ID + 1) : 0);
    }

    private static void encodeAll(EventEncoder encoder, long... numbers) {
        encoder.beginNumbers(numbers.length);
        for (long number : numbers) {
            encoder.number(number);
        }
    }

    private static void encodeAll(EventEncoder encoder, String... texts) {
        encoder.beginStrings(texts.length);
        for (String text : texts) {
            encoder.string(text);
        }
    }

    private final class Listener implements Connections.Listener {
        @Override
        public void answered(Endpoint endpoint, DatabaseProtocol protocol, Statement statement, Moment end) {
            long durationNs = end.timestampNs() - statement.written().timestampNs();
            event(endpoint, protocol, statement, Math.max(0, durationNs), EventKind.SPAN);
        }

        @Override
        public void unmatched(Endpoint endpoint, DatabaseProtocol protocol, Statement statement) {
            event(endpoint, protocol, statement, UNMATCHED_NS, EventKind.OPEN_SPAN);
        }

        @Override
        public void open(Endpoint endpoint, DatabaseProtocol protocol, Statement statement) {
            long durationNs = closedNs == 0
                    ? -1
                    : Math.max(1, closedNs - statement.written().timestampNs());
            event(endpoint, protocol, statement, durationNs, EventKind.OPEN_SPAN);
        }

        @Override
        public void foreign(Endpoint endpoint) {
            foreignStreams.accept(endpoint);
        }
    }
}
