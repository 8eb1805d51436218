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
        DamageLog damages = new DamageLog();
        try (RecordingFile opened = RecordingFile.open(file)) {
            RecordingHeader header = RecordingHeader.read(opened);
            RecordDecoder decoder = new RecordDecoder(header.writerSchema(), handler);
            try (BlockReader blocks = new BlockReader(opened, header, damages)) {
                while (blocks.next()) {
                    decoder.deliver(blocks);
                }
                return new ReadOutcome(
                        file,
                        decoder.events(),
                        decoder.otherRecords(),
                        blocks.blocks(),
                        opened.sizeBytes(),
                        damages.skippedBytes(),
                        damages.count(),
                        damages.first());
            }
        }
    }
}
