package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.connection.Connections;
import dev.probestream.collector.internal.protocol.connection.Endpoint;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.EventKind;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes an event of each statement that is sent to a database. Its probe, which no program is attached for, is described before
 * the first one. Used only by the thread that reads the ring.
 */
final class StatementEvents {
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

    /**
     * Before the first sample.
     *
     * @param eventProbeId of the events
     * @param foreign takes streams that turn out to be none to a database
     */
    void begin(int eventProbeId, Consumer<Endpoint> foreign) {
        probeId = eventProbeId;
        foreignStreams = foreign;
    }

    /** Whether the hits of this probe are bytes of a stream; from now on its samples are taken. */
    boolean add(PlannedProbe probe) {
        return samples.add(probe);
    }

    /** Takes the sample of such a probe. */
    void sample(int streamProbeId, ByteBuffer buffer, int offset, int lengthBytes) {
        samples.sample(streamProbeId, buffer, offset, lengthBytes);
    }

    /** Statements without an answer become open spans. */
    void interrupt() {
        samples.connections().interrupt();
    }

    /** The same if their probes are of one of these categories, whose windows were closed at that moment. */
    void interrupt(Set<String> categories, long windowsClosedNs) {
        if (categories.contains(samples.category())) {
            closedNs = windowsClosedNs;
            interrupt();
            closedNs = 0;
        }
    }

    /** How many statements with unknown results were sent. */
    long undecoded() {
        return samples.connections().undecoded();
    }

    private void event(
            Endpoint endpoint, DatabaseProtocol protocol, Statement statement, long durationNs, EventKind kind) {
        if (!isProbePublished) {
            isProbePublished = true;
            consumer.probe(ProbeRecords.ofStatements(captureId, probeId, samples.category()));
        }
        Moment written = statement.written();
        Moment.Context context = written.context();
        EventEncoder encoder = events.begin(
                written.timestampNs(), durationNs, endpoint.pid(), written.tid(), written.cpu(), probeId, kind);
        encodeAll(
                encoder,
                endpoint.stream(),
                endpoint.tls(),
                statement.rows(),
                statement.sentBytes(),
                statement.receivedBytes(),
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
                statement.reply(),
                statement.errorCode(),
                endpoint.remote(),
                context.traceId(),
                context.spanId());
        events.end(0, 0, ProbeRecords.statementUnavailable(context));
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
        public void open(Endpoint endpoint, DatabaseProtocol protocol, Statement statement) {
            long durationNs = closedNs == 0
                    ? -1
                    : Math.max(0, closedNs - statement.written().timestampNs());
            event(endpoint, protocol, statement, durationNs, EventKind.OPEN_SPAN);
        }

        @Override
        public void foreign(Endpoint endpoint) {
            foreignStreams.accept(endpoint);
        }
    }
}
