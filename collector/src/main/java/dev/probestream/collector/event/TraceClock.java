package dev.probestream.collector.event;

import dev.probestream.bpf.sys.ClockReading;
import dev.probestream.schema.record.Clock;
import java.util.function.Supplier;

/** Reads the clocks of the machine together, as records: the times of events are CLOCK_MONOTONIC. */
public final class TraceClock {
    private final long captureId;
    private final Supplier<ClockReading> clocks;

    /** The clocks of this machine. */
    public TraceClock(long captureId) {
        this(captureId, ClockReading::now);
    }

    TraceClock(long captureId, Supplier<ClockReading> clocks) {
        this.captureId = captureId;
        this.clocks = clocks;
    }

    /** What the clocks show now. */
    public Clock read() {
        ClockReading reading = clocks.get();
        return new Clock(captureId, reading.monotonicNs(), reading.realtimeNs(), reading.bootTimeNs());
    }
}
