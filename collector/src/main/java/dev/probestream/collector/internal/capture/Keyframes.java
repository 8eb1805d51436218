package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.request.PieceLength;
import dev.probestream.schema.record.Clock;

/** Publishes a Keyframe whenever the piece since the one before is long enough. */
final class Keyframes {
    private final long captureId;
    private final KeyframePublisher publisher;
    private final EventDecoder events;
    private final StackInterner stacks;
    private final PieceLength length;
    private long beganNs;
    private long beganAtByte;

    Keyframes(
            long captureId,
            KeyframePublisher publisher,
            EventDecoder events,
            StackInterner stacks,
            PieceLength length,
            long beginNs) {
        this.captureId = captureId;
        this.publisher = publisher;
        this.events = events;
        this.stacks = stacks;
        this.length = length;
        this.beganNs = beginNs;
    }

    /** To be called when what was published is flushed, so that its size is known. */
    void look(long nowNs) {
        if (!publisher.takesKeyframes()) {
            return;
        }
        long atByte = publisher.publishedBytes();
        if (!length.isReached(nowNs - beganNs, atByte - beganAtByte)) {
            return;
        }
        stacks.emitAgain();
        ClockReading clocks = ClockReading.now();
        publisher.keyframe(
                events.delivered(),
                new Clock(captureId, clocks.monotonicNs(), clocks.realtimeNs(), clocks.bootTimeNs()));
        beganNs = nowNs;
        beganAtByte = atByte;
    }
}
