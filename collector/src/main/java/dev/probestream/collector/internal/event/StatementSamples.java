package dev.probestream.collector.internal.event;

import dev.probestream.bpf.sys.Errno;
import dev.probestream.collector.internal.program.PlannedProbe;
import dev.probestream.collector.internal.program.layout.AddressSlot;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.Moment.Context;
import dev.probestream.collector.internal.protocol.connection.Connections;
import dev.probestream.collector.internal.protocol.connection.DatabaseProtocols;
import dev.probestream.collector.internal.protocol.connection.Endpoint;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import dev.probestream.collector.probe.Disclosure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the samples of bytes between clients and databases ({@link StreamBytesLayout}), and hands them to the protocols. */
final class StatementSamples {
    /** UV_EOF of uv/errno.h: the other end has closed the connection. */
    private static final long UV_EOF = -4095;

    private static final byte[] NO_TAIL = {};

    /** Where a probe's values lie in its samples; -1 = it has none. */
    private record Layout(
            StreamBytesLayout.Role role, int stream, int tls, int remote, List<Integer> context, int bytes) {
        static Layout of(PlannedProbe probe, StreamBytesLayout.Role role) {
            return new Layout(
                    role,
                    offset(probe, StreamBytesLayout.STREAM),
                    offset(probe, StreamBytesLayout.TLS),
                    offset(probe, StreamBytesLayout.REMOTE),
                    Stream.of(
                                    ContextValue.ASYNC_ID,
                                    ContextValue.TRIGGER_ID,
                                    ContextValue.REQUEST,
                                    ContextValue.TRACE_ID,
                                    ContextValue.SPAN_ID,
                                    ContextValue.SERVED_STREAM)
                            .map(value -> offset(probe, value.argumentName()))
                            .toList(),
                    probe.layout().sizeBytes());
        }

        private static int offset(PlannedProbe probe, String name) {
            for (int i = 0; i < probe.arguments().size(); i++) {
                if (probe.arguments().get(i).name().equals(name)) {
                    return probe.layout().arguments().get(i).offset();
                }
            }
            return -1;
        }
    }

    /** The buffers of a write, in a sample. */
    private static final class Buffers implements Connections.Written {
        private final ByteBuffer sample;
        private final long count;
        private final int end;
        private int at;
        private long given;
        private long sizeBytes;

        Buffers(ByteBuffer sample, int start, int end) {
            this.sample = sample;
            this.count = sample.getLong(start + StreamBytesLayout.TOTAL_OFFSET);
            this.at = start + StreamBytesLayout.HEADER_SIZE_BYTES;
            this.end = Math.min(end, at + sample.getInt(start + StreamBytesLayout.HEAD_BYTES_OFFSET));
        }

        @Override
        public int next(byte[] into) {
            if (at + StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES > end) {
                return -1;
            }
            sizeBytes = Integer.toUnsignedLong(sample.getInt(at + StreamBytesLayout.BUFFER_LENGTH_OFFSET));
            int copied = sample.getInt(at + StreamBytesLayout.BUFFER_COPIED_OFFSET);
            at += StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES;
            int known = Math.max(0, Math.min(copied, Math.min(into.length, end - at)));
            sample.get(at, into, 0, known);
            at += copied;
            given++;
            return known;
        }

        @Override
        public long sizeBytes() {
            return sizeBytes;
        }

        @Override
        public boolean isMore() {
            return given < count;
        }
    }

    private final Connections connections;
    private String category = "";
    private final Map<Integer, Layout> layouts = new HashMap<>();
    private final ByteBuffer address = ByteBuffer.allocate(2 * AddressSlot.SIZE_BYTES);
    private final AddressText addresses = new AddressText(address);
    private final byte[] head = new byte[StreamBytesLayout.HEAD_BYTES];
    private final byte[] tail = new byte[StreamBytesLayout.TAIL_BYTES];

    /** @param listener takes what is decoded */
    StatementSamples(Disclosure shown, Connections.Listener listener) {
        this.connections = new Connections(new DatabaseProtocols(shown), StreamBytesLayout.MAX_BUFFER_BYTES, listener);
    }

    /** The set of the probes. */
    String category() {
        return category;
    }

    Connections connections() {
        return connections;
    }

    /** Whether the hits of this probe are bytes of a stream; from now on its samples are taken. */
    boolean add(PlannedProbe probe) {
        Optional<StreamBytesLayout.Role> role =
                StreamBytesLayout.Role.of(probe.spec().preset().role());
        role.ifPresent(itsRole -> {
            layouts.put(probe.probeId(), Layout.of(probe, itsRole));
            category = probe.spec().preset().category();
        });
        return role.isPresent();
    }

    /** Takes the sample of such a probe. */
    void sample(int probeId, ByteBuffer sample, int offset, int lengthBytes) {
        Layout layout = layouts.get(probeId);
        if (layout == null) {
            throw new IllegalArgumentException("probe " + probeId + " has no bytes of streams");
        }
        int pid = sample.getInt(offset + EventLayout.TGID_OFFSET);
        long stream = number(sample, offset, layout.stream);
        Moment at = new Moment(
                sample.getLong(offset + EventLayout.TIMESTAMP_OFFSET),
                sample.getInt(offset + EventLayout.TID_OFFSET),
                Short.toUnsignedInt(sample.getShort(offset + EventLayout.CPU_OFFSET)),
                context(sample, offset, layout.context));
        int bytes = offset + layout.bytes;
        switch (layout.role) {
            case WRITE ->
                connections.written(
                        new Endpoint(pid, stream, number(sample, offset, layout.tls), remote(sample, offset, layout)),
                        sample.getLong(bytes + StreamBytesLayout.SEQUENCE_OFFSET),
                        at,
                        new Buffers(sample, bytes, offset + lengthBytes));
            case READ ->
                read(new Endpoint(pid, stream, number(sample, offset, layout.tls), ""), layout, at, sample, offset);
            case CLOSE -> connections.closed(pid, stream, at);
        }
    }

    private void read(Endpoint endpoint, Layout layout, Moment at, ByteBuffer sample, int offset) {
        int bytes = offset + layout.bytes;
        long total = sample.getLong(bytes + StreamBytesLayout.TOTAL_OFFSET);
        if (total < 0) {
            connections.ended(
                    endpoint,
                    at,
                    total == UV_EOF ? "EOF" : Errno.of((int) -total).name());
            return;
        }
        int known = Math.min(head.length, sample.getInt(bytes + StreamBytesLayout.HEAD_BYTES_OFFSET));
        sample.get(bytes + StreamBytesLayout.HEADER_SIZE_BYTES, head, 0, known);
        // Only a sample with room for it has one.
        boolean hasTail = total >= StreamBytesLayout.HEAD_BYTES + StreamBytesLayout.TAIL_BYTES
                && sample.getInt(bytes + StreamBytesLayout.TAIL_BYTES_OFFSET) == tail.length;
        if (hasTail) {
            sample.get(bytes + StreamBytesLayout.TAIL_OFFSET, tail);
        }
        connections.read(
                endpoint,
                sample.getLong(bytes + StreamBytesLayout.SEQUENCE_OFFSET),
                at,
                head,
                known,
                total,
                hasTail ? tail : NO_TAIL,
                sample.getLong(bytes + StreamBytesLayout.RECEIVED_OFFSET) == total);
    }

    private static long number(ByteBuffer sample, int offset, int place) {
        return place < 0 ? 0 : sample.getLong(offset + place);
    }

    private static Context context(ByteBuffer sample, int offset, List<Integer> places) {
        return places.get(0) < 0
                ? Context.NONE
                : new Context(
                        number(sample, offset, places.get(0)),
                        number(sample, offset, places.get(1)),
                        number(sample, offset, places.get(2)),
                        text(sample, offset, places.get(3)),
                        text(sample, offset, places.get(4)),
                        number(sample, offset, places.get(5)));
    }

    /** A text as {@link ArgumentSlot} draws it; its length counts a NUL. */
    private static String text(ByteBuffer sample, int offset, int place) {
        int length = place < 0 ? 0 : sample.getInt(offset + place) - 1;
        if (length <= 0) {
            return "";
        }
        byte[] bytes = new byte[length];
        sample.get(offset + place + ArgumentSlot.TEXT_OFFSET, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private String remote(ByteBuffer sample, int offset, Layout layout) {
        address.clear();
        boolean isKnown = layout.remote >= 0 && addresses.write(sample, offset + layout.remote);
        return isKnown ? new String(address.array(), 0, address.position(), StandardCharsets.UTF_8) : "";
    }
}
