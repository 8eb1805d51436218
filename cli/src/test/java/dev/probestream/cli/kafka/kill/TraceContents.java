package dev.probestream.cli.kafka.kill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All events in the traces below a folder, which are in a folder for each capture. */
final class TraceContents {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<Long, Numbers> identities = new TreeMap<>();

    private TraceContents() {}

    /** Opens every file: {@code .pftrace} by protobuf, {@code .json} by Jackson. */
    static TraceContents read(Path folder) throws IOException {
        TraceContents contents = new TraceContents();
        List<Path> files;
        try (Stream<Path> paths = Files.walk(folder)) {
            files = paths.filter(Files::isRegularFile)
                    .filter(path -> !path.startsWith(folder.resolve(".probestream")))
                    .toList();
        }
        for (Path file : files) {
            String capture = folder.relativize(file).getName(0).toString();
            Numbers known = contents.identities.computeIfAbsent(Long.valueOf(capture), id -> new Numbers());
            if (file.toString().endsWith(".pftrace")) {
                readPerfetto(file, known);
            } else {
                readChrome(file, known);
            }
        }
        return contents;
    }

    /** {@link Beats#identity} of each event, in no order, by capture. */
    Map<Long, Numbers> identities() {
        return identities;
    }

    private static void readPerfetto(Path file, Numbers known) throws IOException {
        Map<Integer, SequenceNames> sequences = new HashMap<>();
        for (TracePacket packet : Trace.parseFrom(Files.readAllBytes(file)).getPacketList()) {
            SequenceNames names =
                    sequences.computeIfAbsent(packet.getTrustedPacketSequenceId(), id -> new SequenceNames());
            names.add(packet);
            if (packet.hasTrackEvent() && packet.getTrackEvent().getType() != TrackEvent.Type.TYPE_SLICE_END) {
                addPerfetto(packet.getTrackEvent(), names, known);
            }
        }
    }

    private static void addPerfetto(TrackEvent event, SequenceNames names, Numbers known) {
        String name = names.event(event);
        if (!name.equals(Beats.INSTANT) && !name.equals(Beats.SPAN)) {
            return;
        }
        for (DebugAnnotation annotation : event.getDebugAnnotationsList()) {
            if (names.annotation(annotation).equals(Beats.ARGUMENT)) {
                known.add(Beats.identity(name.equals(Beats.SPAN), annotation.getIntValue()));
            }
        }
    }

    private static void readChrome(Path file, Numbers known) throws IOException {
        for (JsonNode event : JSON.readTree(file.toFile()).get("traceEvents")) {
            String name = event.path("name").asText();
            JsonNode number = event.path("args").path(Beats.ARGUMENT);
            if ((name.equals(Beats.INSTANT) || name.equals(Beats.SPAN)) && !number.isMissingNode()) {
                known.add(Beats.identity(name.equals(Beats.SPAN), number.asLong()));
            }
        }
    }

    /** The names that packets of one sequence have interned. */
    private static final class SequenceNames {
        private final Map<Long, String> events = new HashMap<>();
        private final Map<Long, String> annotations = new HashMap<>();

        void add(TracePacket packet) {
            if ((packet.getSequenceFlags() & TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE) != 0) {
                events.clear();
                annotations.clear();
            }
            packet.getInternedData().getEventNamesList().forEach(name -> events.put(name.getIid(), name.getName()));
            packet.getInternedData()
                    .getDebugAnnotationNamesList()
                    .forEach(name -> annotations.put(name.getIid(), name.getName()));
        }

        String event(TrackEvent event) {
            return event.hasNameIid() ? events.getOrDefault(event.getNameIid(), "") : event.getName();
        }

        String annotation(DebugAnnotation annotation) {
            return annotation.hasNameIid()
                    ? annotations.getOrDefault(annotation.getNameIid(), "")
                    : annotation.getName();
        }
    }
}
