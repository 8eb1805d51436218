package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes an event of each WebSocket connection ({@link WebSocketLayout}), when it is closed or is not watched any more. Its probe, which
 * no program is attached for, is described before the first one. Used only by the thread that reads the ring.
 */
final class WebSocketEvents implements PartEvents {
    private static final String ROLE = "websocket.connection";

    private final long captureId;
    private final EventSequence events;
    private final EventDecoder.Consumer consumer;
    /** Where the probes that see connections begin have the other end's address; -1 = they have none. */
    private final Map<Integer, Integer> remotes = new HashMap<>();

    private final ByteBuffer address = ByteBuffer.allocate(2 * AddressSlot.SIZE_BYTES);
    private final AddressText addresses = new AddressText(address);
    private String category = "";
    /** 0 = the collector has given none. */
    private int probeId;

    private boolean isProbePublished;

    /** @param consumer takes the record of the probe, before the first event */
    WebSocketEvents(long captureId, EventSequence events, EventDecoder.Consumer consumer) {
        this.captureId = captureId;
        this.events = events;
        this.consumer = consumer;
    }

    @Override
    public OwnProbe probe() {
        return OwnProbe.WEBSOCKET_CONNECTION;
    }

    @Override
    public void begin(int eventProbeId) {
        probeId = eventProbeId;
    }

    @Override
    public boolean add(PlannedProbe probe) {
        if (WebSocketLayout.Role.of(probe.spec().preset().role()).isEmpty()) {
            return false;
        }
        category = probe.spec().preset().category();
        remotes.put(probe.probeId(), -1);
        for (int i = 0; i < probe.arguments().size(); i++) {
            if (probe.arguments().get(i).name().equals(StreamBytesLayout.REMOTE)) {
                remotes.put(probe.probeId(), probe.layout().arguments().get(i).offset());
            }
        }
        return true;
    }

    @Override
    public boolean hasUnseenHits() {
        return isProbePublished;
    }

    /**
     * A connection is closed, or was open when the capture ended: a {@link WebSocketLayout}.
     *
     * @param beganAt the probe that saw it begin
     */
    @Override
    public void sample(int beganAt, ByteBuffer sample, int offset, int lengthBytes, boolean isOpen) {
        if (!isProbePublished) {
            isProbePublished = true;
            consumer.probe(record());
        }
        EventEncoder encoder = events.begin(
                sample.getLong(offset + EventLayout.TIMESTAMP_OFFSET),
                sample.getLong(offset + EventLayout.DURATION_OFFSET),
                sample.getInt(offset + EventLayout.TGID_OFFSET),
                sample.getInt(offset + EventLayout.TID_OFFSET),
                Short.toUnsignedInt(sample.getShort(offset + EventLayout.CPU_OFFSET)),
                probeId,
                isOpen ? EventKind.OPEN_SPAN : EventKind.SPAN);
        int received = offset + WebSocketLayout.RECEIVED_OFFSET;
        int sent = offset + WebSocketLayout.SENT_OFFSET;
        long[] numbers = {
            sample.getLong(offset + WebSocketLayout.STREAM_OFFSET),
            sample.getLong(offset + WebSocketLayout.IS_TLS_OFFSET),
            sample.getLong(offset + WebSocketLayout.IS_SERVER_OFFSET),
            sample.getLong(received + WebSocketLayout.MESSAGES_OFFSET),
            sample.getLong(sent + WebSocketLayout.MESSAGES_OFFSET),
            sample.getLong(received + WebSocketLayout.BYTES_OFFSET),
            sample.getLong(sent + WebSocketLayout.BYTES_OFFSET),
            sample.getLong(received + WebSocketLayout.IS_LOST_OFFSET),
            sample.getLong(sent + WebSocketLayout.IS_LOST_OFFSET)
        };
        encoder.beginNumbers(numbers.length);
        for (long number : numbers) {
            encoder.number(number);
        }
        encoder.beginStrings(1);
        encoder.string(remote(sample, offset, remotes.getOrDefault(beganAt, -1)));
        events.end(0, 0, 0);
    }

    /** The record of the connections, whose messages are counted by the programs of several probes. */
    private Probe record() {
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
                ROLE,
                false);
    }

    private String remote(ByteBuffer sample, int offset, int place) {
        address.clear();
        boolean isKnown = place >= 0 && addresses.write(sample, offset + place);
        return isKnown ? new String(address.array(), 0, address.position(), StandardCharsets.UTF_8) : "";
    }
}
