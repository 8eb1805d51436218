package dev.probestream.cli.endtoend;

import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The flows of a Perfetto trace: which events an arrow leads through. */
final class RecordedFlows {
    private final Map<Long, List<String>> names = new HashMap<>();

    private RecordedFlows() {}

    static RecordedFlows read(Path file) throws IOException {
        RecordedFlows flows = new RecordedFlows();
        Map<Integer, Map<Long, String>> interned = new HashMap<>();
        for (TracePacket packet : Trace.parseFrom(Files.readAllBytes(file)).getPacketList()) {
            Map<Long, String> ofSequence =
                    interned.computeIfAbsent(packet.getTrustedPacketSequenceId(), id -> new HashMap<>());
            packet.getInternedData().getEventNamesList().forEach(name -> ofSequence.put(name.getIid(), name.getName()));
            if (packet.hasTrackEvent()) {
                flows.add(packet.getTrackEvent(), ofSequence);
            }
        }
        return flows;
    }

    private void add(TrackEvent event, Map<Long, String> interned) {
        String name = event.hasNameIid() ? interned.getOrDefault(event.getNameIid(), "") : event.getName();
        List<Long> ids = new ArrayList<>(event.getFlowIdsList());
        ids.addAll(event.getTerminatingFlowIdsList());
        for (Long id : ids) {
            names.computeIfAbsent(id, flow -> new ArrayList<>()).add(name);
        }
    }

    /** The names of the events of each flow that leads through an event of this name. */
    List<List<String>> through(String name) {
        return names.values().stream().filter(flow -> flow.contains(name)).toList();
    }
}
