package dev.probestream.collector;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.ReadOutcome;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.schema.recording.RecordingReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All of a small recording, in memory. */
final class Recorded implements RecordingHandler {
    /** An event, kept. */
    record Kept(
            EventKind kind,
            String probe,
            long timestampNs,
            long durationNs,
            int pid,
            int tid,
            List<Long> numbers,
            List<String> strings,
            long returnValue,
            long stackId,
            long unavailable) {
        long endNs() {
            return timestampNs + durationNs;
        }
    }

    final List<Kept> events = new ArrayList<>();
    final List<Capture> captures = new ArrayList<>();
    final List<CaptureEnd> ends = new ArrayList<>();
    final List<Loss> losses = new ArrayList<>();
    final List<Cost> costs = new ArrayList<>();
    final List<Gap> gaps = new ArrayList<>();
    final Map<Integer, Probe> probes = new HashMap<>();
    final Map<Integer, Process> processes = new HashMap<>();
    final Map<Integer, Thread> threads = new HashMap<>();
    final Map<Long, Stack> stacks = new HashMap<>();
    private long nextSequence;

    static Recorded read(Path file) throws IOException {
        Recorded recorded = new Recorded();
        ReadOutcome outcome = RecordingReader.read(file, recorded);
        if (!outcome.damages().isEmpty()) {
            throw new IOException("a whole recording is damaged: " + outcome);
        }
        return recorded;
    }

    List<Kept> of(String probe) {
        return events.stream().filter(event -> event.probe().equals(probe)).toList();
    }

    long lost() {
        return losses.stream().mapToLong(Loss::getCount).sum();
    }

    @Override
    public void event(EventView event) {
        if (event.sequence() != nextSequence++) {
            throw new IllegalStateException("event " + event.sequence() + " comes as number " + (nextSequence - 1));
        }
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < event.numberCount(); i++) {
            numbers.add(event.number(i));
        }
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < event.stringCount(); i++) {
            strings.add(event.string(i));
        }
        Probe probe = probes.get(event.probeId());
        if (probe == null) {
            throw new IllegalStateException("event of probe " + event.probeId() + ", which was never described");
        }
        events.add(new Kept(
                event.kind(),
                probe.getName(),
                event.timestampNs(),
                event.durationNs(),
                event.pid(),
                event.tid(),
                numbers,
                strings,
                event.returnValue(),
                event.stackId(),
                event.unavailable()));
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
    public void process(Process process) {
        processes.put(process.getPid(), process);
    }

    @Override
    public void thread(Thread thread) {
        threads.put(thread.getTid(), thread);
    }

    @Override
    public void stack(Stack stack) {
        stacks.put(stack.getStackId(), stack);
    }

    @Override
    public void clock(Clock clock) {}

    @Override
    public void loss(Loss loss) {
        losses.add(loss);
    }

    @Override
    public void cost(Cost cost) {
        costs.add(cost);
    }

    @Override
    public void gap(Gap gap) {
        gaps.add(gap);
    }

    @Override
    public void captureEnd(CaptureEnd end) {
        ends.add(end);
    }
}
