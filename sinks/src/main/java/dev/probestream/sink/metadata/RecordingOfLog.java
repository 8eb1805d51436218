package dev.probestream.sink.metadata;

import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Loss;
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
    public void record(SpecificRecord record) throws IOException {
        writer.append(record);
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
