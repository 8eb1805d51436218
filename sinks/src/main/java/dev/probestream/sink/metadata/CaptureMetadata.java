package dev.probestream.sink.metadata;

import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.sink.segment.StackIds;
import java.util.OptionalLong;

/** What is kept in memory of a capture's metadata: just enough to tell whether a slice can be converted. */
public final class CaptureMetadata {
    private final StackIds stacks = new StackIds();
    private boolean isDescribed;
    private long monotonicToRealtimeNs;
    private long delivered = -1;
    private long records;
    private long newestNanos;

    /** Whether its Capture record is known. */
    public boolean isDescribed() {
        return isDescribed;
    }

    /** What to add to its CLOCK_MONOTONIC to get Unix time in nanoseconds; 0 if it is not described. */
    public long monotonicToRealtimeNs() {
        return monotonicToRealtimeNs;
    }

    /** How many events it delivered in all; empty = it has not ended, as far as is known. */
    public OptionalLong delivered() {
        return delivered < 0 ? OptionalLong.empty() : OptionalLong.of(delivered);
    }

    public StackIds stacks() {
        return stacks;
    }

    /** How many records have come; grows whenever there is something new. */
    public long records() {
        return records;
    }

    /** {@link System#nanoTime} when the newest record came. */
    public long newestNanos() {
        return newestNanos;
    }

    void arrived(long nowNanos) {
        records++;
        newestNanos = nowNanos;
    }

    RecordingHandler index() {
        return new RecordingHandler() {
            @Override
            public void capture(Capture capture) {
                isDescribed = true;
                monotonicToRealtimeNs = capture.getRealtimeNs() - capture.getMonotonicNs();
            }

            @Override
            public void stack(Stack stack) {
                stacks.add(stack.getStackId());
            }

            @Override
            public void captureEnd(CaptureEnd end) {
                delivered = end.getDelivered();
            }
        };
    }
}
