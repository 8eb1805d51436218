package dev.probestream.cli.endtoend;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The events of a recording with their stacks. */
final class RecordedStacks implements RecordingHandler {
    /** @param text the event's first, "" when there is none */
    private record Hit(int probeId, String text, long stackId) {}

    private final List<Hit> hits = new ArrayList<>();
    private final Map<Integer, String> probeNames = new HashMap<>();
    private final Map<Long, List<Frame>> frames = new HashMap<>();

    private RecordedStacks() {}

    static RecordedStacks read(Path file) throws IOException {
        RecordedStacks recorded = new RecordedStacks();
        RecordingReader.read(file, recorded);
        return recorded;
    }

    /** The stacks, leaf first, of the hits of a probe that have this text. */
    List<List<Frame>> of(String probeName, String text) {
        return hits.stream()
                .filter(hit -> probeName.equals(probeNames.get(hit.probeId())))
                .filter(hit -> text.equals(hit.text()))
                .map(hit -> frames.getOrDefault(hit.stackId(), List.of()))
                .toList();
    }

    @Override
    public void probe(Probe probe) {
        probeNames.put(probe.getProbeId(), probe.getName());
    }

    @Override
    public void stack(Stack stack) {
        List<Frame> copies = new ArrayList<>();
        for (Frame frame : stack.getFrames()) {
            copies.add(new Frame(
                    frame.getSymbol(),
                    frame.getModule(),
                    frame.getOffset(),
                    frame.getKind(),
                    frame.getFile(),
                    frame.getLine()));
        }
        frames.put(stack.getStackId(), copies);
    }

    @Override
    public void event(EventView event) throws IOException {
        hits.add(new Hit(event.probeId(), event.stringCount() == 0 ? "" : event.string(0), event.stackId()));
    }
}
