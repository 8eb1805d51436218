package dev.probestream.sink.metadata;

import dev.probestream.schema.message.MetadataMessage;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
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

/** Writes the newest message of each key in a capture's log into a recording, in the order of the topic. */
final class RecordingOfLog implements RecordingHandler {
    private final RecordingWriter writer;
    private final long firstLossOffset;
    private final boolean isWithEnd;
    private long offset;
    private long nextOffset;
    private long earliestLossNs = Long.MAX_VALUE;
    private long latestLossNs = Long.MIN_VALUE;

    private RecordingOfLog(RecordingWriter writer, long firstLossOffset, boolean isWithEnd) {
        this.writer = writer;
        this.firstLossOffset = firstLossOffset;
        this.isWithEnd = isWithEnd;
        this.nextOffset = firstLossOffset;
    }

    static MetadataRecording write(CaptureLog log, Path path, long firstLossOffset, boolean isWithEnd)
            throws IOException {
        // Keeps only the keys in memory: a long capture may have many stacks.
        Map<String, Long> lastOffsets = new HashMap<>();
        log.read((offset, key, value) -> lastOffsets.put(key, offset));
        try (RecordingWriter writer = RecordingWriter.create(path)) {
            RecordingOfLog recording = new RecordingOfLog(writer, firstLossOffset, isWithEnd);
            log.read((offset, key, value) -> {
                if (value != null && Long.valueOf(offset).equals(lastOffsets.get(key))) {
                    recording.offset = offset;
                    MetadataMessage.read(value, recording);
                }
            });
            return new MetadataRecording(path, recording.nextOffset, recording.earliestLossNs, recording.latestLossNs);
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
        if (offset >= firstLossOffset) {
            nextOffset = Math.max(nextOffset, offset + 1);
            earliestLossNs = Math.min(earliestLossNs, loss.getFromNs());
            latestLossNs = Math.max(latestLossNs, loss.getToNs());
            writer.append(loss);
        }
    }

    @Override
    public void captureEnd(CaptureEnd end) throws IOException {
        if (isWithEnd) {
            writer.append(end);
        }
    }
}
