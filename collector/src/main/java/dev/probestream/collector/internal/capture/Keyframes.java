package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.request.PieceLength;
import dev.probestream.schema.record.Clock;

/**
 * Keeps what was published ready to be read, although the capture goes on: publishes the gaps so far before each flush, and a
 * Keyframe whenever the piece since the one before is long enough. For publishers that take Keyframes.
 */
final class Keyframes {
    private final long captureId;
    private final KeyframePublisher publisher;
    private final CaptureBudget budget;
    private final EventDecoder events;
    private final StackInterner stacks;
    private final PieceLength length;
    private long beganNs;
    private long beganAtByte;

    Keyframes(
            long captureId,
            KeyframePublisher publisher,
            CaptureBudget budget,
            EventDecoder events,
            StackInterner stacks,
            PieceLength length,
            long beginNs) {
        this.captureId = captureId;
        this.publisher = publisher;
        this.budget = budget;
        this.events = events;
        this.stacks = stacks;
        this.length = length;
        this.beganNs = beginNs;
    }

    /**
     * Flushes what was published.
     *
     * @param flush does it: then the size of what was published is known
     */
    void flush(long nowNs, Runnable flush) {
        if (!publisher.takesKeyframes()) {
            flush.run();
            return;
        }
        // Whoever reads what is flushed is to know what was not watched.
        budget.publishOpenGaps(nowNs);
        flush.run();
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
