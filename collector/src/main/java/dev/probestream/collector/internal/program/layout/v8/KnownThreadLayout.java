package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.MapNames;

/**
 * A thread of Node.js whose Environment has been found: an entry of the array {@link MapNames#CONTEXT_THREADS}, written by
 * programs ({@code struct known_thread} of src/main/bpf/known_threads.h). An array's entry is found without a call of the kernel.
 *
 * <pre>
 * offset  size  field
 *      0     8  check    who the thread is (the time at which it started, and its process's count of execve in the upper 16
 *                        bits) ^ the other fields
 *      8     8  ids      the address of its async ids; 0 = not found
 *     16     8  isolate  its address
 *     24     8  loop     the address of the uv_loop_t that it runs; 0 = not found
 *     32     8  nothing  what the slot of the isolate holds when no store is set, undefined; 0 = not seen yet
 *     40     8  string   the Map of a string of one-byte characters in one piece; 0 = not seen yet
 *     48        fields   of the process's {@link AsyncContextLayout}, those that are needed at each hit
 * </pre>
 *
 * A thread has one isolate, one Environment and one loop, which stay where they are as long as it runs JavaScript, so they are looked for
 * once. Two threads may write one entry at the same moment; the check fails then, as it does for a later thread with the same
 * tid, and for the first one of another program.
 */
public final class KnownThreadLayout {
    private static final int FIELDS_OFFSET = 48;

    public static final int SIZE_BYTES =
            FIELDS_OFFSET + AsyncContextLayout.HIT_FIELDS_END - AsyncContextLayout.HIT_FIELDS_OFFSET;

    /** A power of two. Of two threads with the same lowest bits each is looked for again when it follows the other. */
    public static final int MAX_THREADS = 4096;

    /** By which the count of execve is shifted. */
    public static final int EXEC_ID_SHIFT = 48;

    private KnownThreadLayout() {}
}
