package dev.probestream.schema.recording;

import dev.probestream.schema.RecordData;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Recording;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a reading can begin, by halving the part of the file in which that place can be. Looks only into blocks of one
 * record, and of all others at their heads: a Keyframe is a block of its own.
 */
final class KeyframeSearch {
    /** What is searched from its beginning to its end. */
    private static final long LINEAR_BYTES = 1 << 20;

    private final BlockReader blocks;
    private final SpecificDatumReader<Recording> records;
    private final long fromNs;
    /** Of the first Keyframe: another capture's clock may be that of another boot. Null until one was met. */
    private @Nullable Long captureId;

    private KeyframeSearch(BlockReader blocks, Schema writerSchema, long fromNs) {
        this.blocks = blocks;
        this.records = new SpecificDatumReader<>(writerSchema, Recording.SCHEMA$, RecordData.INSTANCE);
        this.fromNs = fromNs;
    }

    /**
     * {@return the position of the last Keyframe of the first capture that has one, at that time or before it; the end of the
     * header if there is none} What other captures have stands behind it, or is read too.
     *
     * @param file in which captures follow each other
     * @param fromNs CLOCK_MONOTONIC
     */
    static long lastBefore(RecordingFile file, RecordingHeader header, long fromNs) throws RecordingException {
        try (BlockReader blocks = new BlockReader(file, header, new DamageLog())) {
            return new KeyframeSearch(blocks, header.writerSchema(), fromNs)
                    .lastBetween(header.endBytes(), file.sizeBytes());
        }
    }

    private long lastBetween(long beginsAt, long endsAt) throws RecordingException {
        long found = beginsAt;
        if (!nextIsInTime(endsAt)) {
            return found;
        }
        found = blocks.position();
        long low = found;
        long high = endsAt;
        while (high - low > LINEAR_BYTES) {
            long middle = low + (high - low) / 2;
            blocks.seekBlockAfter(middle);
            if (nextIsInTime(high)) {
                found = blocks.position();
                low = found;
            } else {
                high = middle;
            }
        }
        blocks.seek(low);
        while (nextIsInTime(endsAt)) {
            found = blocks.position();
        }
        return found;
    }

    /** Goes to the next Keyframe before a position; false if there is none, or it was written later. */
    private boolean nextIsInTime(long before) throws RecordingException {
        while (blocks.nextFrame() && blocks.position() < before) {
            Keyframe keyframe = blocks.recordCount() == 1 && blocks.open() ? keyframe() : null;
            if (keyframe != null) {
                captureId = captureId == null ? Long.valueOf(keyframe.getCaptureId()) : captureId;
                return captureId.equals(keyframe.getCaptureId())
                        && keyframe.getClock().getMonotonicNs() <= fromNs;
            }
        }
        return false;
    }

    private @Nullable Keyframe keyframe() {
        try {
            Recording record = records.read(
                    null, DecoderFactory.get().binaryDecoder(blocks.data(), 0, blocks.lengthBytes(), null));
            return record.getContent() instanceof Keyframe keyframe ? keyframe : null;
        } catch (IOException | RuntimeException e) {
            // As in RecordDecoder: the record is damaged, and a reading does not begin there.
            return null;
        }
    }
}
