package dev.probestream.sink.metadata;

import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
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
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;

/** Writes the newest message of each key in a capture's log into a recording, in the order of the topic. */
final class RecordingOfLog implements RecordingHandler {
    private final RecordingWriter writer;
    private final long firstDatedOffset;
    private final boolean isWithEnd;
    private long offset;
    private long nextOffset;
    private long earliestNs = Long.MAX_VALUE;
    private long latestNs = Long.MIN_VALUE;

    private RecordingOfLog(RecordingWriter writer, long firstDatedOffset, boolean isWithEnd) {
        this.writer = writer;
        this.firstDatedOffset = firstDatedOffset;
        this.isWithEnd = isWithEnd;
        this.nextOffset = firstDatedOffset;
    }

    static MetadataRecording write(
            CaptureLog log, MessageFraming framing, Path path, long firstDatedOffset, boolean isWithEnd)
            throws IOException {
        // Keeps only the keys in memory: a long capture may have many stacks. Sums are many more, and none replaces
        // another.
        Map<String, Long> lastOffsets = new HashMap<>();
        log.read((offset, key, value) -> {
            if (!MetadataMessage.isNumbered(key)) {
                lastOffsets.put(key, offset);
            }
        });
        try (RecordingWriter writer = RecordingWriter.create(path)) {
            RecordingOfLog recording = new RecordingOfLog(writer, firstDatedOffset, isWithEnd);
            log.read((offset, key, value) -> {
                boolean isLast =
                        MetadataMessage.isNumbered(key) || Long.valueOf(offset).equals(lastOffsets.get(key));
                if (value != null && isLast) {
                    recording.offset = offset;
                    MetadataMessage.read(value, framing, recording);
                }
            });
            return new MetadataRecording(path, recording.nextOffset, recording.earliestNs, recording.latestNs);
        }
    }

    @Override
    public void capture(Capture capture) throws IOException {
        writer.append(capture);
    }

    @Override
    public void probe(Probe probe) throws IOException {
        writer.append(probe);
    }

    @Override
    public void process(Process process) throws IOException {
        writer.append(process);
    }

    @Override
    public void thread(Thread thread) throws IOException {
        writer.append(thread);
    }

    @Override
    public void stack(Stack stack) throws IOException {
        writer.append(stack);
    }

    @Override
    public void clock(Clock clock) throws IOException {
        writer.append(clock);
    }

    @Override
    public void loss(Loss loss) throws IOException {
        dated(loss, loss.getFromNs(), loss.getToNs());
    }

    @Override
    public void hitSummary(HitSummary summary) throws IOException {
        dated(summary, summary.getFromNs(), summary.getToNs());
    }

    @Override
    public void gap(Gap gap) throws IOException {
        dated(gap, gap.getFromNs(), gap.getToNs());
    }

    @Override
    public void cost(Cost cost) throws IOException {
        dated(cost, cost.getFromNs(), cost.getToNs());
    }

    /** Belongs to a time, and so to one trace. */
    private void dated(SpecificRecord record, long fromNs, long toNs) throws IOException {
        if (offset >= firstDatedOffset) {
            nextOffset = Math.max(nextOffset, offset + 1);
            earliestNs = Math.min(earliestNs, fromNs);
            latestNs = Math.max(latestNs, toNs);
            writer.append(record);
        }
    }

    @Override
    public void captureEnd(CaptureEnd end) throws IOException {
        if (isWithEnd) {
            writer.append(end);
        }
    }
}
