package dev.probestream.cli.endtoend;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A recording, read whole. */
final class RecordedFile implements RecordingHandler {
    /**
     * One event, with its texts.
     *
     * @param durationNs -1 = none
     * @param arguments the probe's arguments by name, a String or a Long each; what could not be read is not there
     */
    record RecordedEvent(
            Probe probe,
            long timestampNs,
            long durationNs,
            int pid,
            int tid,
            List<String> texts,
            Map<String, Object> arguments,
            long returnValue) {
        /** The argument of this name. */
        Object argument(String name) {
            return Objects.requireNonNull(arguments.get(name), () -> "no " + name + " in " + this);
        }

        /** What the preset calls the value of this argument. */
        String label(String name) {
            Argument argument = probe.getArguments().stream()
                    .filter(candidate -> candidate.getName().equals(name))
                    .findFirst()
                    .orElseThrow();
            return String.valueOf(argument.getLabels().get(String.valueOf(argument(name))));
        }
    }

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
                probe,
                event.timestampNs(),
                event.durationNs(),
                event.pid(),
                event.tid(),
                texts,
                arguments(probe, event),
                event.returnValue()));
    }

    private static Map<String, Object> arguments(Probe probe, EventView event) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        int numbers = 0;
        int texts = 0;
        for (int i = 0; i < probe.getArguments().size(); i++) {
            Argument argument = probe.getArguments().get(i);
            boolean isText =
                    argument.getType().equals("str") || argument.getType().startsWith("char[");
            Object value = isText ? event.string(texts++) : Long.valueOf(event.number(numbers++));
            if ((event.unavailable() & 1L << i) == 0) {
                arguments.put(argument.getName(), value);
            }
        }
        return arguments;
    }
}
