package dev.probestream.collector.internal.program.layout.v8;

import java.nio.ByteBuffer;

/**
 * How the event loop of a thread that runs Node.js is found: {@code struct event_loop_layout} of src/main/bpf/known_threads.h,
 * in this order.
 *
 * @param defaultLoop u64, the address of libuv's default_loop_struct, which the main thread runs; 0 = unknown
 * @param isolateData u32, offset in an Environment of the pointer to its IsolateData; 0 = unknown
 * @param loop u32, offset in IsolateData of the pointer to its uv_loop_t
 */
public record EventLoopLayout(long defaultLoop, int isolateData, int loop) {
    /** Of a Node.js whose loops are not known. */
    public static final EventLoopLayout NONE = new EventLoopLayout(0, 0, 0);

    static final int SIZE_BYTES = Long.BYTES + 2 * Integer.BYTES;

    void put(ByteBuffer value) {
        value.putLong(defaultLoop).putInt(isolateData).putInt(loop);
    }
}
