package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A capture that no kernel made: its events contain their number in each of the possible places. */
final class SyntheticCapture {
    static final long CAPTURE_ID = 4_711L;

    static final long MONOTONIC_NS = 1_000;
    /** At {@link #MONOTONIC_NS}. Now: the events' time decides how long a topic keeps them. */
    static final long REALTIME_NS = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());

    private final EventPublisher publisher;
    private final EventEncoder encoder = new EventEncoder();
    private long sequence;

    SyntheticCapture(EventPublisher publisher) {
        this.publisher = publisher;
    }

    void begin() {
        publisher.publish(capture());
        probe(1);
    }

    static Capture capture() {
        return new Capture(
                CAPTURE_ID,
                "host",
                "b007-1d",
                "Linux",
                "6.18.5",
                "#1 SMP",
                "x86_64",
                2,
                "test",
                List.of("collect"),
                MONOTONIC_NS,
                REALTIME_NS,
                1_500L);
    }

    void probe(int probeId) {
        publisher.publish(new Probe(
                CAPTURE_ID,
                probeId,
                "uprobe:tick (n=arg1:s64)",
                "tick",
                "user",
                EventKind.INSTANT,
                "/bin/calls",
                List.of(new Argument("n", "s64", "", FlowStep.NONE, Map.of())),
                "",
                "",
                "",
                false));
    }

    /** Publishes the next events, of three processes in turn. */
    void events(int count, int probeId) {
        for (int i = 0; i < count; i++) {
            encoder.begin(
                    CAPTURE_ID,
                    sequence,
                    MONOTONIC_NS + sequence,
                    -1,
                    100 + (int) (sequence % 3),
                    200,
                    0,
                    probeId,
                    EventKind.INSTANT);
            encoder.beginNumbers(1);
            encoder.number(sequence);
            encoder.beginStrings(1);
            encoder.string("event " + sequence);
            encoder.end(0, 0, 0);
            sequence++;
            publisher.publish(encoder);
        }
    }

    void end() {
        publisher.publish(new CaptureEnd(CAPTURE_ID, 9_000L, "the time was up", sequence, 0L));
        publisher.complete();
    }

    /** How many events were published; the one that was refused is among them. */
    long published() {
        return sequence;
    }
}
