package dev.probestream.cli.trace;

import dev.probestream.collector.dialect.Message;
import java.util.List;
import java.util.Map;

/**
 * The options of the printed lines.
 *
 * @param messages what to print at the hits of each probe, by the text of its spec; without one its arguments
 * @param time how times are shown
 * @param cpu whether the CPU is shown
 * @param comm part of the names of the threads whose lines are printed; "" = all
 * @param userStacks whether the program's stack is printed under each line
 * @param kernelStacks whether the kernel's stack is printed under each line
 * @param json whether lines are JSON objects
 * @param maxLines the number of lines after which tracing ends; 0 = no limit
 */
record TraceOptions(
        Map<String, List<Message>> messages,
        TimeFormat time,
        boolean cpu,
        String comm,
        boolean userStacks,
        boolean kernelStacks,
        boolean json,
        long maxLines) {
    /** How the time of a line is shown. */
    enum TimeFormat {
        SINCE_START(15),
        OF_DAY(15),
        UNIX(17);

        private final int width;

        TimeFormat(int width) {
            this.width = width;
        }

        /** The characters of its column. */
        int width() {
            return width;
        }
    }

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
