package dev.probestream.cli.trace;

import dev.probestream.collector.dialect.Message;
import java.util.List;
import java.util.Map;

/**
 * The options of the printed lines.
 *
 * @param messages what to print at the hits of each probe, by the text of its spec; without one its arguments
 * @param wallTime whether times are times of day
 * @param userStacks whether the program's stack is printed under each line
 * @param kernelStacks whether the kernel's stack is printed under each line
 * @param json whether lines are JSON objects
 * @param maxLines the number of lines after which tracing ends; 0 = no limit
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

    /** Whether any line has columns. */
    boolean hasColumns() {
        return messages.values().stream()
                .anyMatch(all ->
                        all.isEmpty() || all.stream().anyMatch(message -> message.style() == Message.Style.COLUMNS));
    }
}
