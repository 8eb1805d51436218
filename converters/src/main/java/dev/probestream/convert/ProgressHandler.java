package dev.probestream.convert;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import dev.probestream.schema.recording.RecordingHandler;
import java.io.IOException;

/** Forwards records, and reports the number of events every {@value #INTERVAL} events. */
final class ProgressHandler implements RecordingHandler {
    private static final int INTERVAL = 1 << 16;

    private final RecordingHandler next;
    private final ConversionProgress progress;
    private final int pass;
    private long events;

    ProgressHandler(RecordingHandler next, ConversionProgress progress, int pass) {
        this.next = next;
        this.progress = progress;
        this.pass = pass;
    }

    @Override
    public void event(EventView event) throws IOException {
        if (++events % INTERVAL == 0) {
            progress.reached(pass, events);
        }
        next.event(event);
    }

    @Override
    public void capture(Capture capture) throws IOException {
        next.capture(capture);
    }

    @Override
    public void probe(Probe probe) throws IOException {
        next.probe(probe);
    }

    @Override
    public void process(Process process) throws IOException {
        next.process(process);
    }

    @Override
    public void thread(Thread thread) throws IOException {
        next.thread(thread);
    }

    @Override
    public void stack(Stack stack) throws IOException {
        next.stack(stack);
    }

    @Override
    public void clock(Clock clock) throws IOException {
        next.clock(clock);
    }

    @Override
    public void loss(Loss loss) throws IOException {
        next.loss(loss);
    }

    @Override
    public void hitSummary(HitSummary summary) throws IOException {
        next.hitSummary(summary);
    }

    @Override
    public void gap(Gap gap) throws IOException {
        next.gap(gap);
    }

    @Override
    public void cost(Cost cost) throws IOException {
        next.cost(cost);
    }

    @Override
    public void captureEnd(CaptureEnd captureEnd) throws IOException {
        next.captureEnd(captureEnd);
    }
}
