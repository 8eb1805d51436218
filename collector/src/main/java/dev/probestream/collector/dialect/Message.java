package dev.probestream.collector.dialect;

import java.util.List;

/**
 * How a hit is printed: its parts, one after the other.
 *
 * @param style where the parts stand
 * @param parts in order
 */
public record Message(Style style, List<Part> parts) {
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

    /**
     * A part of a message.
     *
     * @param source where the value comes from
     * @param argument for {@link Source#ARGUMENT} which of the spec's arguments it is; else 0
     * @param text of {@link Source#LITERAL}; for {@link Source#PROBE} what stands before the function's name
     * @param number of {@link Source#NUMBER}; how many frames of a stack, 0 = all
     * @param conversion how it is printed; a literal between conversions has {@link #AS_IT_IS}
     */
    public record Part(Source source, int argument, String text, long number, PrintfConversion conversion) {
        /** Of text that stands for itself. */
        public static final PrintfConversion AS_IT_IS =
                new PrintfConversion('s', Long.BYTES, false, false, '\0', false, 0, -1);

        /** Where the value of a part comes from. */
        public enum Source {
            /** One of the spec's arguments. */
            ARGUMENT,
            /** The returned value that the spec records as its result. */
            RETURN_VALUE,
            PID,
            TID,
            UID,
            CPU,
            COMM,
            /** CLOCK_MONOTONIC of the hit in nanoseconds. */
            TIMESTAMP,
            /** Nanoseconds since the collection began. */
            ELAPSED,
            /** The probe as the line named it. */
            PROBE,
            /** The name of the function or event that was hit. */
            FUNCTION,
            USER_STACK,
            KERNEL_STACK,
            /** A number that stands in the line. */
            NUMBER,
            /** Text that stands in the line. */
            LITERAL
        }

        static Part literal(String text) {
            return new Part(Source.LITERAL, 0, text, 0, AS_IT_IS);
        }
    }
}
