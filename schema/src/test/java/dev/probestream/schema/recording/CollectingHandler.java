package dev.probestream.schema.recording;

import dev.probestream.schema.EventCodecTest;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;

/** Keeps every record that it is given, events as records of their own. */
public final class CollectingHandler implements RecordingHandler {
    private final List<SpecificRecord> records = new ArrayList<>();

    public List<SpecificRecord> records() {
        return records;
    }

    @Override
    public void event(EventView event) {
        records.add(EventCodecTest.recordOf(event));
    }

    @Override
    public void capture(Capture capture) {
        records.add(capture);
    }

    @Override
    public void probe(Probe probe) {
        records.add(probe);
    }

    @Override
    public void process(Process process) {
        records.add(process);
    }

    @Override
    public void thread(Thread thread) {
        records.add(thread);
    }

    @Override
    public void stack(Stack stack) {
        records.add(stack);
    }

    @Override
    public void clock(Clock clock) {
        records.add(clock);
    }

    @Override
    public void keyframe(Keyframe keyframe) {
        records.add(keyframe);
    }

    @Override
    public void loss(Loss loss) {
        records.add(loss);
    }

    @Override
    public void hitSummary(HitSummary summary) {
        records.add(summary);
    }

    @Override
    public void gap(Gap gap) {
        records.add(gap);
    }

    @Override
    public void cost(Cost cost) {
        records.add(cost);
    }

    @Override
    public void captureEnd(CaptureEnd captureEnd) {
        records.add(captureEnd);
    }
}
