package dev.probestream.convert;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.schema.recording.ReadOutcome;
import java.nio.file.Path;
import java.util.List;

/**
 * What a conversion wrote, and what it could not.
 *
 * @param output the trace file, or the folder of the tables
 * @param sizeBytes its size; that of all its files
 * @param events what became of every event
 * @param inputs what could be read of each input, in the order given
 * @param warnings one sentence each: unreadable stretches, captures that were
 *     cut off, losses, stand-ins
 */
public record ConversionOutcome(
        Path output, long sizeBytes, EventCounts events, List<ReadOutcome> inputs, List<String> warnings) {
    public ConversionOutcome {
        inputs = List.copyOf(inputs);
        warnings = List.copyOf(warnings);
    }
}
