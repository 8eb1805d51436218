package dev.probestream.sink.metadata;

import dev.probestream.schema.format.FormatStamp;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.recording.RecordingHandler;
import dev.probestream.sink.segment.StackIds;

/** The part of a capture's metadata that is kept in memory: enough to decide whether a segment can be converted. */
public final class CaptureMetadata {
    private final StackIds stacks = new StackIds();
    private FormatStamp stamp = FormatStamp.OWN;
    private boolean isDescribed;
    private long monotonicToRealtimeNs;
    private long newestOffset = -1;
    private long newestNanos;

    /** Whether its Capture record has arrived. */
    public boolean isDescribed() {
        return isDescribed;
    }

    /** The difference from its CLOCK_MONOTONIC to Unix time in nanoseconds; 0 if it is not described. */
    public long monotonicToRealtimeNs() {
        return monotonicToRealtimeNs;
    }

    public StackIds stacks() {
        return stacks;
    }

    /** Which version of the format its newest record has. */
    FormatStamp stamp() {
        return stamp;
    }

    void stamped(FormatStamp ofRecord) {
        stamp = ofRecord;
    }

    /** The offset of its newest record; -1 if none has arrived. */
    public long newestOffset() {
        return newestOffset;
    }

    /** {@link System#nanoTime} when the newest record arrived. */
    public long newestNanos() {
        return newestNanos;
    }

    void arrived(long offset, long nowNanos) {
        newestOffset = offset;
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
        };
    }
}
