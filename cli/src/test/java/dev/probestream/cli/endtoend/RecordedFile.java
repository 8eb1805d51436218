package dev.probestream.cli.endtoend;

import dev.probestream.schema.EventView;
import dev.probestream.schema.ReadOutcome;
import dev.probestream.schema.RecordingHandler;
import dev.probestream.schema.RecordingReader;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A recording, read whole. */
final class RecordedFile implements RecordingHandler {
    /**
     * One event, with its texts.
     *
     * @param durationNs -1 = none
     */
    record RecordedEvent(
            Probe probe, long timestampNs, long durationNs, int pid, int tid, List<String> texts, long returnValue) {}

    private final Map<Integer, Probe> probes = new HashMap<>();
    private final List<RecordedEvent> events = new ArrayList<>();
    private final List<Capture> captures = new ArrayList<>();
    private Optional<CaptureEnd> end = Optional.empty();
    private long lost;

    private RecordedFile() {}

    static RecordedFile read(Path file) throws IOException {
        RecordedFile recorded = new RecordedFile();
        ReadOutcome outcome = RecordingReader.read(file, recorded);
        if (!outcome.isWhole()) {
            throw new IOException(file + " is not whole: " + outcome.damages());
        }
        return recorded;
    }

    List<RecordedEvent> events() {
        return events;
    }

    /** Events of the probe of this name. */
    List<RecordedEvent> events(String probeName) {
        return events.stream()
                .filter(event -> event.probe().getName().equals(probeName))
                .toList();
    }

    Capture capture() {
        return captures.get(0);
    }

    /** The record that ends a recording that ended in order. */
    CaptureEnd end() {
        return end.orElseThrow();
    }

    long lost() {
        return lost;
    }

    @Override
    public void capture(Capture capture) {
        captures.add(capture);
    }

    @Override
    public void probe(Probe probe) {
        probes.put(probe.getProbeId(), probe);
    }

    @Override
    public void loss(Loss loss) {
        lost += loss.getCount();
    }

    @Override
    public void captureEnd(CaptureEnd captureEnd) {
        end = Optional.of(captureEnd);
    }

    @Override
    public void event(EventView event) throws IOException {
        Probe probe = probes.get(event.probeId());
        if (probe == null) {
            throw new IOException("event " + event.sequence() + " is of probe " + event.probeId()
                    + ", which the recording does not describe before it");
        }
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < event.stringCount(); i++) {
            texts.add(event.string(i));
        }
        events.add(new RecordedEvent(
                probe, event.timestampNs(), event.durationNs(), event.pid(), event.tid(), texts, event.returnValue()));
    }
}
