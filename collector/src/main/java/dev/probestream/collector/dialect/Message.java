package dev.probestream.collector.dialect;

import java.util.List;

/**
 * How a hit is printed: its parts, one after the other.
 *
 * @param style where the parts stand
 * @param parts in order
 */
public record Message(Style style, List<MessagePart> parts) {
    /** Where a message stands. */
    public enum Style {
        /** Behind the columns of time, process and probe, on a line of its own: bcc's trace. */
        COLUMNS,
        /** The parts and nothing else, not even the end of a line: bpftrace's printf. */
        PLAIN
    }

    public Message {
        parts = List.copyOf(parts);
    }
}
