package dev.probestream.collector.internal.capture;

import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.RecordVisitor;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Thread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Publishes all that it is given, and keeps what a {@link Keyframe} repeats: no more than the probes, what lives, and what has
 * ended since the last one; nothing for a destination that takes none.
 */
final class KeyframePublisher implements EventPublisher {
    private final EventPublisher destination;
    private final Known known = new Known();

    KeyframePublisher(EventPublisher destination) {
        this.destination = destination;
    }

    /**
     * Publishes a Keyframe.
     *
     * @param sequence of the next event
     * @param clock read now
     */
    void keyframe(long sequence, Clock clock) {
        Capture capture = known.capture;
        if (capture == null) {
            throw new IllegalStateException("a Keyframe comes after the Capture");
        }
        destination.publish(new Keyframe(
                capture.getCaptureId(),
                sequence,
                known.lost,
                clock,
                capture,
                List.copyOf(known.probes.values()),
                known.takeProcesses(),
                known.takeThreads()));
    }

    @Override
    public boolean takesKeyframes() {
        return destination.takesKeyframes();
    }

    @Override
    public void publish(EventEncoder event) {
        destination.publish(event);
    }

    @Override
    public void publish(SpecificRecord metadata) {
        if (takesKeyframes()) {
            RecordVisitor.visit(metadata, known);
        }
        destination.publish(metadata);
    }

    @Override
    public void flush() {
        destination.flush();
    }

    @Override
    public void complete() {
        destination.complete();
    }

    @Override
    public long publishedBytes() {
        return destination.publishedBytes();
    }

    @Override
    public void close() {
        destination.close();
    }

    private static final class Known implements RecordVisitor<RuntimeException> {
        private @Nullable Capture capture;
        private long lost;
        private final Map<Integer, Probe> probes = new TreeMap<>();
        private final Map<Integer, Process> processes = new HashMap<>();
        private final Map<Integer, Thread> threads = new HashMap<>();

        @Override
        public void capture(Capture record) {
            capture = record;
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
        public void loss(Loss loss) {
            lost += loss.getCount();
        }

        /** Those that have ended are in one Keyframe more: what they did last may be read after their end. */
        List<Process> takeProcesses() {
            List<Process> taken = new ArrayList<>(processes.values());
            processes.values().removeIf(process -> process.getEndNs() >= 0);
            return taken;
        }

        List<Thread> takeThreads() {
            List<Thread> taken = new ArrayList<>(threads.values());
            threads.values().removeIf(thread -> thread.getEndNs() >= 0);
            return taken;
        }
    }
}
