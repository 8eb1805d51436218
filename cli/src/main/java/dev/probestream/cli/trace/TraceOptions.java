package dev.probestream.cli.trace;

import dev.probestream.collector.dialect.Message;
import java.util.List;
import java.util.Map;

/**
 * How lines are printed.
 *
 * @param messages what to print at the hits of each probe, by the text of its spec; without one its arguments
 * @param wallTime whether times are those of the clock on the wall
 * @param userStacks whether every line is followed by the program's stack
 * @param kernelStacks the same of the kernel's
 * @param json whether lines are objects of JSON
 * @param maxLines after how many lines it ends; 0 = never
 */
record TraceOptions(
        Map<String, List<Message>> messages,
        boolean wallTime,
        boolean userStacks,
        boolean kernelStacks,
        boolean json,
        long maxLines) {
    public TraceOptions {
        messages = Map.copyOf(messages);
    }

    /** Whether any line stands in columns. */
    boolean hasColumns() {
        return messages.values().stream()
                .anyMatch(all ->
                        all.isEmpty() || all.stream().anyMatch(message -> message.style() == Message.Style.COLUMNS));
    }
}
