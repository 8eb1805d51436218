package dev.probestream.collector.internal.expression;

import dev.probestream.collector.probe.LineSyntaxException;

/**
 * A value that a line prints or compares.
 *
 * @param source for a value of the probe its source in the spec: {@code arg3}, {@code ret}, a field, or the
 *     {@code @NAME} under which another probe kept it; for a literal its text; for {@link Kind#PROBE} the text before the name that a glob matched
 * @param type in the syntax of probe specs; "" = given by the conversion or the probe
 * @param number the value of a number; for a stack the number of frames, 0 = all; for text the bytes that were asked
 *     for with the NUL, 0 = as many as fit
 * @param position in the line
 */
public record Operand(Kind kind, String source, String type, long number, int position) {
    /** What the source of a value begins with that another probe of a bpftrace program kept. */
    public static final String KEPT_MARK = "@";

    public enum Kind {
        /** A number or a pointer that the probe reads. */
        ARGUMENT("a number"),
        /** A field of a tracepoint, with the type in the tracepoint's format. */
        FIELD("a field"),
        /** Text that the probe reads. */
        TEXT("text"),
        PID("pid"),
        TID("tid"),
        UID("uid"),
        CPU("cpu"),
        COMM("comm"),
        TIMESTAMP("nsecs"),
        /** The time from the begin of a span to its end, in nanoseconds. */
        DURATION("the time since another probe"),
        ELAPSED("elapsed"),
        PROBE("probe"),
        FUNCTION("func"),
        USER_STACK("ustack"),
        KERNEL_STACK("kstack"),
        NUMBER("a number"),
        LITERAL("text"),
        /** A number computed of arguments; the source is the expression. */
        COMPUTED("a computed number");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** The name in messages, and in probe specs if they support it. */
        public String word() {
            return word;
        }
    }

    public static Operand argument(String source, String type, int position) {
        return new Operand(Kind.ARGUMENT, source, type, 0, position);
    }

    public static Operand text(String source, String type, int position) {
        return new Operand(Kind.TEXT, source, type, 0, position);
    }

    /** Text of which at most so many bytes are asked for, with the NUL at its end. */
    public static Operand sizedText(String source, long sizeBytes, int position) {
        return new Operand(Kind.TEXT, source, "str[" + sizeBytes + "]", sizeBytes, position);
    }

    public static Operand field(String name, int position) {
        return new Operand(Kind.FIELD, name, "", 0, position);
    }

    public static Operand builtin(Kind kind, int position) {
        return new Operand(kind, "", "", 0, position);
    }

    public static Operand stack(Kind kind, long frames, int position) {
        return new Operand(kind, "", "", frames, position);
    }

    public static Operand number(long number, int position) {
        return new Operand(Kind.NUMBER, "", "", number, position);
    }

    public static Operand literal(String text, int position) {
        return new Operand(Kind.LITERAL, text, "", 0, position);
    }

    /** Returns a copy with this type. */
    public Operand as(String newType) {
        return new Operand(kind, source, newType, number, position);
    }

    /** Whether the value is printed with %s. */
    public boolean isText() {
        return switch (kind) {
            case TEXT, COMM, PROBE, FUNCTION, USER_STACK, KERNEL_STACK, LITERAL -> true;
            case ARGUMENT, FIELD, PID, TID, UID, CPU, TIMESTAMP, DURATION, ELAPSED, NUMBER, COMPUTED -> false;
        };
    }

    /** The value in the syntax of probe specs. */
    public String written() {
        return type.isEmpty() ? source : source + ":" + type;
    }

    /** Parses one operand of a syntax: an argument, a built-in, a literal, with casts. */
    public interface Reader {
        /**
         * Reads an operand from the line.
         *
         * @throws LineSyntaxException if there is none, or it cannot be translated
         */
        Operand read();
    }
}
