package dev.probestream.collector.internal.capture;

import dev.probestream.collector.internal.counter.CounterReadings;
import dev.probestream.collector.internal.counter.CounterValues;
import dev.probestream.collector.internal.counter.ProcessCounter;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The counters of the traced processes in a capture: publishes what {@link CounterReadings} reads, on the thread that reads the
 * ring. Does nothing in a capture without a probe of kind {@link ProbeKind#PROCESS}.
 */
final class CaptureCounters implements AutoCloseable {
    private final long captureId;
    private final Optional<ResolvedProbe> probe;
    private final EventPublisher publisher;
    private final EventDecoder decoder;
    private final Supplier<List<Integer>> livingPids;
    private final CounterReadings readings = new CounterReadings();

    CaptureCounters(
            long captureId,
            List<ResolvedProbe> probes,
            EventPublisher publisher,
            EventDecoder decoder,
            Supplier<List<Integer>> livingPids) {
        this.captureId = captureId;
        this.probe = probes.stream()
                .filter(found -> found.spec().kind() == ProbeKind.PROCESS)
                .findFirst();
        this.publisher = publisher;
        this.decoder = decoder;
        this.livingPids = livingPids;
    }

    /**
     * The window is open: publishes the records of the probes, and begins to read.
     *
     * @param firstNs when to read first
     */
    void begin(long firstNs) {
        probe.ifPresent(known -> {
            for (ProcessCounter counter : ProcessCounter.values()) {
                publisher.publish(record(known, counter));
            }
            readings.begin(livingPids.get(), firstNs);
        });
    }

    /** Publishes what has been read; to be called often. */
    void turn() {
        if (probe.isPresent() && readings.isReady()) {
            publish(readings.take(livingPids.get()));
        }
    }

    /** The window is closed next: reads a last time. */
    void end() {
        if (probe.isPresent()) {
            publish(readings.last(livingPids.get()));
        }
    }

    List<String> warnings() {
        return readings.warnings();
    }

    private void publish(List<CounterValues> values) {
        int firstId = probe.map(ResolvedProbe::probeId).orElseThrow();
        for (CounterValues each : values) {
            decoder.reading(
                    firstId + each.counter().idOffset(),
                    each.counter().kind(),
                    each.atNs(),
                    each.pid(),
                    each.numbers(),
                    each.texts(),
                    each.unavailable());
        }
    }

    private Probe record(ResolvedProbe known, ProcessCounter counter) {
        return new Probe(
                captureId,
                known.probeId() + counter.idOffset(),
                known.spec().text(),
                counter.probeName(),
                known.spec().preset().category(),
                counter.kind(),
                ResolvedProbe.KERNEL,
                counter.arguments().stream()
                        .map(argument -> new Argument(
                                argument.name(),
                                argument.isText() ? "str" : "s64",
                                argument.unit(),
                                FlowStep.NONE,
                                Map.of()))
                        .toList(),
                "",
                "",
                "",
                false);
    }

    @Override
    public void close() {
        readings.close();
    }
}
