package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.MapNames;
import java.nio.ByteBuffer;

/**
 * What a program asks: the shape of a key that is new in {@link MapNames#HEAP_SHAPES}. A sample of {@link MapNames#SHAPE_QUESTIONS}, written
 * by {@code ask} of src/main/bpf/v8_objects.bpf.c.
 *
 * <pre>
 * offset  size  field
 *      0    16  key      {@link HeapShape#key}
 *     16     8  example  an object with the Map in the key, tagged; of a place in code, its address
 * </pre>
 *
 * @param key see above, in the machine's byte order
 * @param example see above
 */
public record ShapeQuestion(ByteBuffer key, long example) {
    /** Of the ring: room for some 500 questions. */
    public static final int RING_BYTES = 1 << 14;

    /** Reads a sample in a buffer in the machine's byte order. */
    public static ShapeQuestion decode(ByteBuffer buffer, int offset) {
        ByteBuffer key = ByteBuffer.allocate(HeapShape.KEY_BYTES).order(buffer.order());
        key.put(buffer.duplicate().position(offset).limit(offset + HeapShape.KEY_BYTES))
                .flip();
        return new ShapeQuestion(key, buffer.getLong(offset + HeapShape.KEY_BYTES));
    }

    /** The process in which the object is. */
    public int pid() {
        return HeapShape.pid(key);
    }
}
