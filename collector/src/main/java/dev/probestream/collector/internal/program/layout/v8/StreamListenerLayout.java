package dev.probestream.collector.internal.program.layout.v8;

import java.nio.ByteBuffer;

/**
 * How it is found who reads a stream of Node.js: {@code struct stream_listener_layout} of src/main/bpf/known_threads.h, in this
 * order.
 *
 * @param parser u64, the address of the virtual functions that node::Parser has as a StreamListener
 * @param tls u64, that of TLSWrap
 * @param streamBase u32, offset in a LibuvStreamWrap of its StreamBase; 0 = nothing here is known
 * @param messageStart u32, the state in which llhttp expects that a message begins
 */
public record StreamListenerLayout(long parser, long tls, int streamBase, int messageStart) {
    /** Of a Node.js whose listeners are not known. */
    public static final StreamListenerLayout NONE = new StreamListenerLayout(0, 0, 0, 0);

    static final int SIZE_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

    void put(ByteBuffer value) {
        value.putLong(parser).putLong(tls).putInt(streamBase).putInt(messageStart);
    }
}
