package dev.probestream.collector.dialect;

/**
 * Something that a line prints or compares.
 *
 * @param source in our grammar for what the probe reads: {@code arg3}, {@code ret}, a field; the text of a literal; of
 *     {@link Kind#PROBE} what stands before the name that a glob matched
 * @param type in our grammar; "" = as the conversion or the probe says
 * @param number of a number; how many frames of a stack, 0 = all
 * @param position in the line
 */
record Operand(Kind kind, String source, String type, long number, int position) {
    enum Kind {
        /** A number or a pointer that the probe reads. */
        ARGUMENT("a number"),
        /** A field of a tracepoint; its format says what it is. */
        FIELD("a field"),
        /** Text that the probe reads. */
        TEXT("text"),
        PID("pid"),
        TID("tid"),
        UID("uid"),
        CPU("cpu"),
        COMM("comm"),
        TIMESTAMP("nsecs"),
        ELAPSED("elapsed"),
        PROBE("probe"),
        FUNCTION("func"),
        USER_STACK("ustack"),
        KERNEL_STACK("kstack"),
        NUMBER("a number"),
        LITERAL("text");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** What it is called in a message, and in our grammar where that has it. */
        String word() {
            return word;
        }
    }

    static Operand argument(String source, String type, int position) {
        return new Operand(Kind.ARGUMENT, source, type, 0, position);
    }

    static Operand text(String source, String type, int position) {
        return new Operand(Kind.TEXT, source, type, 0, position);
    }

    static Operand field(String name, int position) {
        return new Operand(Kind.FIELD, name, "", 0, position);
    }

    static Operand builtin(Kind kind, int position) {
        return new Operand(kind, "", "", 0, position);
    }

    static Operand stack(Kind kind, long frames, int position) {
        return new Operand(kind, "", "", frames, position);
    }

    static Operand number(long number, int position) {
        return new Operand(Kind.NUMBER, "", "", number, position);
    }

    static Operand literal(String text, int position) {
        return new Operand(Kind.LITERAL, text, "", 0, position);
    }

    /** The same number read as this type. */
    Operand as(String newType) {
        return new Operand(kind, source, newType, number, position);
    }

    /** Whether a message prints it with %s. */
    boolean isText() {
        return switch (kind) {
            case TEXT, COMM, PROBE, FUNCTION, USER_STACK, KERNEL_STACK, LITERAL -> true;
            case ARGUMENT, FIELD, PID, TID, UID, CPU, TIMESTAMP, ELAPSED, NUMBER -> false;
        };
    }

    /** How our grammar reads it from the probe. */
    String written() {
        return type.isEmpty() ? source : source + ":" + type;
    }

    /** Reads one operand of a language: an argument, a built-in, a literal, with casts. */
    interface Reader {
        /**
         * Takes an operand from the line.
         *
         * @throws LineSyntaxException when there is none, or one that cannot be translated
         */
        Operand read();
    }
}
