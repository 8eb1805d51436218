package dev.probestream.convert;

import dev.probestream.convert.assemble.EventCounts;
import dev.probestream.schema.recording.ReadOutcome;
import java.nio.file.Path;
import java.util.List;

/**
 * Which files of tables were written, and from what.
 *
 * @param files in their places; empty when there was nothing to write
 * @param sizeBytes of all of them
 * @param events what became of every event
 * @param inputs what could be read of each input, in the order given
 */
public record TablesOutcome(List<Path> files, long sizeBytes, EventCounts events, List<ReadOutcome> inputs) {
    public TablesOutcome {
        files = List.copyOf(files);
        inputs = List.copyOf(inputs);
    }
}
