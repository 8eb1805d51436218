package dev.probestream.collector.dialect;

import java.util.List;

/**
 * The format in which a hit is printed.
 *
 * @param style the layout of the line
 * @param parts in order
 */
public record Message(Style style, List<Part> parts) {
    /** The layout of a printed hit. */
    public enum Style {
        /** A line with columns for time, process and probe before the message: bcc's trace. */
        COLUMNS,
        /** Only the parts, without a line end: bpftrace's printf. */
        PLAIN
    }

    /** Copies the list. */
    public Message {
        parts = List.copyOf(parts);
    }

    /**
     * A part of a message.
     *
     * @param source the source of the value
     * @param argument for {@link Source#ARGUMENT} the index of the spec's argument; else 0
     * @param text of {@link Source#LITERAL}; for {@link Source#PROBE} the text before the function's name; of {@link
     *     Source#COMPUTED} the expression, of the names of the spec's arguments
     * @param number the value of {@link Source#NUMBER}; for a stack the number of frames, 0 = all; for {@link
     *     Source#ARGUMENT} the bytes of its text that the line asks for, with the NUL; 0 = as many as were recorded
     * @param conversion how the value is printed; {@link #AS_IT_IS} for a literal between conversions
     */
    public record Part(Source source, int argument, String text, long number, PrintfConversion conversion) {
        /** The conversion of literal text. */
        public static final PrintfConversion AS_IT_IS =
                new PrintfConversion('s', Long.BYTES, false, false, '\0', false, 0, -1);

        /** The source of a part's value. */
        public enum Source {
            /** One of the spec's arguments. */
            ARGUMENT,
            /** The return value that the spec records as its result. */
            RETURN_VALUE,
            /** A number computed of arguments: a {@link dev.probestream.collector.histogram.ValueExpression}. */
            COMPUTED,
            /** The process id. */
            PID,
            /** The thread id. */
            TID,
            /** The real user id. */
            UID,
            /** The CPU. */
            CPU,
            /** The name of the thread. */
            COMM,
            /** CLOCK_MONOTONIC of the hit in nanoseconds. */
            TIMESTAMP,
            /** Nanoseconds since the collection began. */
            ELAPSED,
            /** The probe as written in the line. */
            PROBE,
            /** The name of the function or event that was hit. */
            FUNCTION,
            /** The stack in user space. */
            USER_STACK,
            /** The stack in the kernel. */
            KERNEL_STACK,
            /** A number literal of the line. */
            NUMBER,
            /** A text literal of the line. */
            LITERAL
        }

        static Part literal(String text) {
            return new Part(Source.LITERAL, 0, text, 0, AS_IT_IS);
        }
    }
}
