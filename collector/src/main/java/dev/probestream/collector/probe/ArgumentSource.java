package dev.probestream.collector.probe;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where an argument's value comes from.
 *
 * @param kind where the value is
 * @param number counts from 1 for {@link Kind#ARGUMENT} and {@link Kind#RAW}; otherwise 0
 * @param field the name of a tracepoint's field for {@link Kind#FIELD}, the word of a {@link ContextValue} for {@link
 *     Kind#CONTEXT}; otherwise ""
 */
public record ArgumentSource(Kind kind, int number, String field) {
    /** Where a value is. */
    public enum Kind {
        /**
         * The n-th integer or pointer argument of a function, as its calling convention passes it, or the n-th argument of a
         * USDT probe, as its note declares.
         */
        ARGUMENT,
        /** A field of a tracepoint's record. */
        FIELD,
        /** The n-th argument of a raw tracepoint. */
        RAW,
        /** What the function returned. */
        RETURN_VALUE,
        /** The async context in which the thread runs JavaScript of Node.js. */
        CONTEXT
    }

    /** What is read of the async context of a thread; 0 or an empty text where the thread has none. */
    public enum ContextValue {
        /** {@code executionAsyncId()} of Node's async_hooks. */
        ASYNC_ID("asyncid", "async_id", 0),
        /** {@code triggerAsyncId()}. */
        TRIGGER_ID("triggerid", "trigger_id", 0),
        /** How many async ids the thread has given so far: the last of them. */
        ASYNC_COUNTER("asynccounter", "async_counter", 0),
        /** The number that the npm package gave the request in whose context the thread runs. */
        REQUEST("requestcontext", "context", 0),
        /** The trace id of the active span of OpenTelemetry's SDK. */
        TRACE_ID("traceid", "trace_id", 32),
        /** The id of that span. */
        SPAN_ID("spanid", "span_id", 16),
        /** The address of libuv's stream on which the request came that the thread serves. */
        SERVED_STREAM("servedstream", "served_stream", 0);

        private final String word;
        private final String argumentName;
        private final int textBytes;

        ContextValue(String word, String argumentName, int textBytes) {
            this.word = word;
            this.argumentName = argumentName;
            this.textBytes = textBytes;
        }

        /** {@return how a spec spells it} */
        public String word() {
            return word;
        }

        /** {@return what presets call it} */
        public String argumentName() {
            return argumentName;
        }

        /** {@return whether it is a text} */
        public boolean isText() {
            return textBytes > 0;
        }

        /** {@return the type it is recorded with} */
        public ArgumentType type() {
            return this == SERVED_STREAM
                    ? ArgumentType.number(ArgumentType.Form.PTR)
                    : isText() ? ArgumentType.chars(textBytes) : ArgumentType.S64;
        }

        /**
         * {@return the value of this word}
         *
         * @param word as a spec spells it
         */
        public static Optional<ContextValue> ofWord(String word) {
            return Stream.of(values()).filter(value -> value.word.equals(word)).findFirst();
        }
    }

    /** The highest number of an argument: that many a USDT probe and a raw tracepoint can have (sys/sdt.h, linux/bpf.h). */
    public static final int MAX_NUMBER = 12;

    /** What the function returned. */
    public static final ArgumentSource RETURN_VALUE = new ArgumentSource(Kind.RETURN_VALUE, 0, "");

    /**
     * {@return the {@code number}-th argument of a function, counted from 1}
     *
     * @param number from 1
     */
    public static ArgumentSource argument(int number) {
        return new ArgumentSource(Kind.ARGUMENT, number, "");
    }

    /**
     * {@return the {@code number}-th argument of a raw tracepoint, counted from 1}
     *
     * @param number from 1
     */
    public static ArgumentSource raw(int number) {
        return new ArgumentSource(Kind.RAW, number, "");
    }

    /**
     * {@return what a thread's async context holds}
     *
     * @param value which part of it
     */
    public static ArgumentSource context(ContextValue value) {
        return new ArgumentSource(Kind.CONTEXT, 0, value.word());
    }

    /** {@return which part of the async context this is} */
    public ContextValue contextValue() {
        return ContextValue.ofWord(field).orElseThrow(() -> new IllegalStateException(this + " is of no context"));
    }

    /**
     * {@return the tracepoint's field of this name}
     *
     * @param name as in the tracepoint's format
     */
    public static ArgumentSource field(String name) {
        return new ArgumentSource(Kind.FIELD, 0, name);
    }
}
