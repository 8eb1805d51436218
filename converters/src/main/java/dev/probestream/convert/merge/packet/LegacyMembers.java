package dev.probestream.convert.merge.packet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.convert.merge.json.JsonEvent;
import dev.probestream.schema.perfetto.TrackEvent.LegacyEvent;

/** What Chrome's macros put beside a track event, as the members it came from. */
final class LegacyMembers {
    private LegacyMembers() {}

    static void put(ObjectNode event, LegacyEvent legacy) {
        if (legacy.hasDurationUs()) {
            event.put(JsonEvent.DUR, legacy.getDurationUs());
        }
        if (legacy.hasThreadDurationUs()) {
            event.put("tdur", legacy.getThreadDurationUs());
        }
        switch (legacy.getIdCase()) {
            case UNSCOPED_ID -> event.put(JsonEvent.ID, hex(legacy.getUnscopedId()));
            case LOCAL_ID -> event.putObject(JsonEvent.ID2).put("local", hex(legacy.getLocalId()));
            case GLOBAL_ID -> event.putObject(JsonEvent.ID2).put("global", hex(legacy.getGlobalId()));
            case ID_NOT_SET -> {}
        }
        if (legacy.hasIdScope()) {
            event.put(JsonEvent.SCOPE, legacy.getIdScope());
        }
        if (legacy.hasBindId()) {
            event.put("bind_id", hex(legacy.getBindId()));
            putFlow(event, legacy.getFlowDirection());
        }
        if (legacy.getBindToEnclosing()) {
            event.put("bp", "e");
        }
        if (legacy.hasPidOverride()) {
            event.put(JsonEvent.PID, legacy.getPidOverride());
        }
        if (legacy.hasTidOverride()) {
            event.put(JsonEvent.TID, legacy.getTidOverride());
        }
    }

    private static void putFlow(ObjectNode event, LegacyEvent.FlowDirection direction) {
        switch (direction) {
            case FLOW_UNSPECIFIED -> {}
            case FLOW_IN -> event.put("flow_in", true);
            case FLOW_OUT -> event.put("flow_out", true);
            case FLOW_INOUT -> event.put("flow_in", true).put("flow_out", true);
        }
    }

    private static String hex(long id) {
        return "0x" + Long.toHexString(id);
    }
}
