package dev.probestream.schema.recording;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads a recording from its first record to its last: what {@link RecordingWriter} has written, what any other Avro
 * writer has written with our schema and our version of the format, and what newer minor versions have written, as far as
 * Avro's schema resolution goes. A file that is damaged is read around the damage.
 *
 * <p>Memory does not depend on the size of the file, and sizes in the file are not trusted: at most one block
 * of {@value BlockCodec#MAX_BLOCK_BYTES} bytes is in memory, twice.
 */
public final class RecordingReader {
    private RecordingReader() {}

    /**
     * Hands every record of {@code file} that can be read to {@code handler}, in the order of the file.
     *
     * @param file its path
     * @param handler called by this thread during this call
     * @return what was read and what was not
     * @throws RecordingFormatException if the file is empty, no recording, cut off in its header, or written by a
     *     version that this one cannot read; the handler has then seen nothing
     * @throws RecordingException if the file cannot be opened or read
     * @throws IOException if the handler throws it
     */
    public static ReadOutcome read(Path file, RecordingHandler handler) throws IOException {
        return read(file, Long.MIN_VALUE, handler);
    }

    /**
     * As above, from a place in the file: the last Keyframe of the file's capture that was written at that time or before
     * it. Where there is none the whole file is read. The handler is given what is in the Keyframe as if it stood there as
     * records.
     *
     * @param file its path
     * @param fromNs CLOCK_MONOTONIC of the capture's host; {@link Long#MIN_VALUE} = from the beginning
     * @param handler called by this thread during this call
     * @return what was read and what was not
     * @throws RecordingFormatException as above
     * @throws RecordingException as above
     * @throws IOException if the handler throws it
     */
    public static ReadOutcome read(Path file, long fromNs, RecordingHandler handler) throws IOException {
        DamageLog damages = new DamageLog();
        try (RecordingFile opened = RecordingFile.open(file)) {
            RecordingHeader header = RecordingHeader.read(opened);
            RecordDecoder decoder = new RecordDecoder(header.writerSchema(), handler);
            long beginsAtByte =
                    fromNs == Long.MIN_VALUE ? header.endBytes() : KeyframeSearch.lastBefore(opened, header, fromNs);
            try (BlockReader blocks = new BlockReader(opened, header, damages)) {
                blocks.seek(beginsAtByte);
                while (blocks.next()) {
                    decoder.deliver(blocks);
                }
                return new ReadOutcome(
                        file,
                        decoder.events(),
                        decoder.otherRecords(),
                        blocks.blocks(),
                        opened.sizeBytes(),
                        beginsAtByte - header.endBytes(),
                        damages.skippedBytes(),
                        damages.count(),
                        damages.first());
            }
        }
    }
}
