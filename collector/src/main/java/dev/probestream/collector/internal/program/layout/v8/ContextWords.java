package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.util.Collection;

/**
 * The async context of a thread as programs read it, a word for each {@link ContextValue}; {@code struct async_context} of
 * src/main/bpf/async_context.bpf.c, and behind these the microtask that runs. A word is 0 where the thread has no such value; a
 * text is the address of its characters.
 */
public final class ContextWords {
    private ContextWords() {}

    public static final int SIZE_BYTES = 8 * Long.BYTES;

    /** The offset of a value's word. */
    public static int offset(ContextValue value) {
        return Long.BYTES * index(value);
    }

    /** The bits with which these values are wanted. */
    public static int wanted(Collection<ContextValue> values) {
        return values.stream().mapToInt(value -> 1 << index(value)).reduce(0, (one, other) -> one | other);
    }

    private static int index(ContextValue value) {
        return switch (value) {
            case ASYNC_ID -> 0;
            case TRIGGER_ID -> 1;
            case ASYNC_COUNTER -> 2;
            case REQUEST -> 3;
            case TRACE_ID -> 4;
            case SPAN_ID -> 5;
            case SERVED_STREAM -> 6;
        };
    }
}
