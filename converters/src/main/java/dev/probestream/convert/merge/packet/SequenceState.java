package dev.probestream.convert.merge.packet;

import dev.probestream.schema.perfetto.InternedData;
import dev.probestream.schema.perfetto.InternedString;
import dev.probestream.schema.perfetto.SourceLocation;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TracePacketDefaults;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** What the packets of one sequence share: interned names, and defaults. */
final class SequenceState {
    private static final int CLEARED = TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE;

    private final Map<Long, String> names = new HashMap<>();
    private final Map<Long, String> categories = new HashMap<>();
    private final Map<Long, String> annotationNames = new HashMap<>();
    private final Map<Long, String> texts = new HashMap<>();
    private final Map<Long, SourceLocation> locations = new HashMap<>();
    private TracePacketDefaults defaults = TracePacketDefaults.getDefaultInstance();

    /** Applies what a packet sets for itself and the packets after it. */
    void update(TracePacket packet) {
        if ((packet.getSequenceFlags() & CLEARED) != 0) {
            names.clear();
            categories.clear();
            annotationNames.clear();
            texts.clear();
            locations.clear();
            defaults = TracePacketDefaults.getDefaultInstance();
        }
        if (packet.hasTracePacketDefaults()) {
            defaults = packet.getTracePacketDefaults();
        }
        if (packet.hasInternedData()) {
            intern(packet.getInternedData());
        }
    }

    private void intern(InternedData data) {
        data.getEventNamesList().forEach(name -> names.put(name.getIid(), name.getName()));
        data.getEventCategoriesList().forEach(category -> categories.put(category.getIid(), category.getName()));
        data.getDebugAnnotationNamesList().forEach(name -> annotationNames.put(name.getIid(), name.getName()));
        for (InternedString text : data.getDebugAnnotationStringValuesList()) {
            texts.put(text.getIid(), text.getStr().toString(StandardCharsets.UTF_8));
        }
        data.getSourceLocationsList().forEach(location -> locations.put(location.getIid(), location));
    }

    /** 0 = none. */
    int defaultClock() {
        return defaults.getTimestampClockId();
    }

    /** 0 = none. */
    long defaultTrack() {
        return defaults.getTrackEventDefaults().getTrackUuid();
    }

    String name(long iid) {
        return names.getOrDefault(iid, "name " + iid);
    }

    String category(long iid) {
        return categories.getOrDefault(iid, "category " + iid);
    }

    String annotationName(long iid) {
        return annotationNames.getOrDefault(iid, "annotation " + iid);
    }

    String text(long iid) {
        return texts.getOrDefault(iid, "text " + iid);
    }

    SourceLocation location(long iid) {
        return locations.getOrDefault(iid, SourceLocation.getDefaultInstance());
    }
}
