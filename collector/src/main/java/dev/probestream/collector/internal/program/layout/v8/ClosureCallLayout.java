package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.MapNames;

/**
 * When programs have met a closure on the stack that may be another request's: a value of {@link MapNames#FUNCTION_CALLS};
 * {@code struct function_call} of src/main/bpf/v8_served_search.h. User space does not read it.
 *
 * <pre>
 * offset  size  field
 *      0     8  relocations  as in {@link V8ProcessLayout}
 *      8     8  turn         the number of the thread's turn
 * </pre>
 */
public final class ClosureCallLayout {
    public static final int SIZE_BYTES = 16;

    /** Of all processes together; those that were not met for the longest time make room for new ones. */
    public static final int MAX_CLOSURES = 8192;

    /** Of a value of {@link MapNames#THREAD_TURNS}, {@code struct thread_turn}: u64 id, u64 number. */
    public static final int TURN_BYTES = 16;

    public static final int MAX_THREADS = 4096;

    private ClosureCallLayout() {}
}
