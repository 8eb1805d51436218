package dev.probestream.convert;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.probestream.schema.perfetto.ClockSnapshot;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the slices of a Perfetto trace as trace_processor does: resolves each sequence's clock, names and default track,
 * sorts by time (ties stay in file order), and pairs each END with the innermost open BEGIN of its track.
 */
final class Slices {
    private static final int MONOTONIC = 3;

    /** A slice as it stands; {@code parent} is null at the bottom of its track, {@code endNs} -1 if it has no END. */
    static final class Slice {
        final String name;
        final long id;
        final long startNs;
        final TrackDescriptor track;
        final int depth;
        final @Nullable Slice parent;
        long endNs = -1;

        Slice(String name, long id, long startNs, TrackDescriptor track, int depth, @Nullable Slice parent) {
            this.name = name;
            this.id = id;
            this.startNs = startNs;
            this.track = track;
            this.depth = depth;
            this.parent = parent;
        }

        long parentId() {
            return parent == null ? -1 : parent.id;
        }

        @Override
        public String toString() {
            return name + " " + id + " [" + startNs + ", " + endNs + "] at depth " + depth + " of " + track.getName();
        }
    }

    private static final class Sequence {
        private final Map<Integer, Long> incrementalNs = new HashMap<>();
        private final Map<Long, String> names = new HashMap<>();
        private final Map<Long, String> annotationNames = new HashMap<>();
        private int clockId = MONOTONIC;
        private long trackUuid;
    }

    private record Timed(long timestampNs, long trackUuid, TrackEvent event, String name, long id) {}

    private final Map<Integer, Sequence> sequences = new HashMap<>();
    private final Map<Long, TrackDescriptor> tracks = new HashMap<>();
    private final List<Timed> events = new ArrayList<>();
    private final List<Slice> slices = new ArrayList<>();

    private Slices() {}

    /** All slices, in the order of their BEGINs. The id of each is the number its argument "id" holds, or -1. */
    static List<Slice> of(byte[] trace) throws InvalidProtocolBufferException {
        Slices slices = new Slices();
        for (TracePacket packet : Trace.parseFrom(trace).getPacketList()) {
            slices.packet(packet);
        }
        slices.pair();
        return slices.slices;
    }

    private void packet(TracePacket packet) {
        Sequence sequence = sequences.computeIfAbsent(packet.getTrustedPacketSequenceId(), id -> new Sequence());
        if (packet.hasClockSnapshot()) {
            for (ClockSnapshot.Clock clock : packet.getClockSnapshot().getClocksList()) {
                if (clock.getIsIncremental()) {
                    sequence.incrementalNs.put(clock.getClockId(), clock.getTimestamp());
                }
            }
        }
        if (packet.hasTracePacketDefaults()) {
            sequence.clockId = packet.getTracePacketDefaults().getTimestampClockId();
            sequence.trackUuid =
                    packet.getTracePacketDefaults().getTrackEventDefaults().getTrackUuid();
        }
        packet.getInternedData().getEventNamesList().forEach(name -> sequence.names.put(name.getIid(), name.getName()));
        packet.getInternedData()
                .getDebugAnnotationNamesList()
                .forEach(name -> sequence.annotationNames.put(name.getIid(), name.getName()));
        if (packet.hasTrackDescriptor()) {
            tracks.put(packet.getTrackDescriptor().getUuid(), packet.getTrackDescriptor());
        }
        if (packet.hasTrackEvent()) {
            event(packet, sequence);
        }
    }

    private void event(TracePacket packet, Sequence sequence) {
        long timestampNs = packet.getTimestamp();
        int clockId = packet.hasTimestampClockId() ? packet.getTimestampClockId() : sequence.clockId;
        if (clockId != MONOTONIC) {
            timestampNs = sequence.incrementalNs.merge(clockId, timestampNs, Long::sum);
        }
        TrackEvent event = packet.getTrackEvent();
        long id = -1;
        for (DebugAnnotation annotation : event.getDebugAnnotationsList()) {
            if ("id".equals(sequence.annotationNames.get(annotation.getNameIid()))) {
                id = annotation.getIntValue();
            }
        }
        String name = event.hasName() ? event.getName() : sequence.names.getOrDefault(event.getNameIid(), "?");
        events.add(new Timed(
                timestampNs, event.hasTrackUuid() ? event.getTrackUuid() : sequence.trackUuid, event, name, id));
    }

    private void pair() {
        events.sort(Comparator.comparingLong(Timed::timestampNs)); // stable
        Map<Long, Deque<Slice>> open = new HashMap<>();
        for (Timed timed : events) {
            Deque<Slice> stack = open.computeIfAbsent(timed.trackUuid, uuid -> new ArrayDeque<>());
            switch (timed.event.getType()) {
                case TYPE_SLICE_BEGIN -> {
                    TrackDescriptor track = tracks.getOrDefault(timed.trackUuid, TrackDescriptor.getDefaultInstance());
                    Slice slice = new Slice(timed.name, timed.id, timed.timestampNs, track, stack.size(), stack.peek());
                    stack.push(slice);
                    slices.add(slice);
                }
                case TYPE_SLICE_END -> {
                    if (stack.isEmpty()) {
                        throw new AssertionError("an END at " + timed.timestampNs + " without a BEGIN");
                    }
                    stack.pop().endNs = timed.timestampNs;
                }
                case TYPE_INSTANT, TYPE_COUNTER, TYPE_UNSPECIFIED -> {}
            }
        }
    }
}
