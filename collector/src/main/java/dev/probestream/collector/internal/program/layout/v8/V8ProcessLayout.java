package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.MapNames;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What programs need of the V8 of one process to find its JavaScript functions: the value of the hash {@link
 * MapNames#V8_PROCESSES}, whose key is the u32 tgid; {@code struct v8_process} of src/main/bpf/v8.h.
 *
 * <pre>
 * offset  size  field
 *      0     8  relocations        which collections have moved objects, counted by our own programs: the lowest 16 bits are
 *                                  how many threads do so now, the next 32 count beginnings and ends, and the others
 *                                  differ for every value that is written
 *      8     4  firstFunctionType  instance types of JSFunction
 *     12     4  lastFunctionType
 *     16     4  instanceType       of Map: where its u16 instance type lies
 *     20     4  shared             of JSFunction: where its SharedFunctionInfo lies; at most {@link #MAX_SHARED}
 *     24     4  exitFrame          of the isolate: where the frame pointer of the last exit frame lies; 0 = it is not known
 *     28     4  unused
 *     32        {@link AsyncCallerLayout}
 * </pre>
 *
 * Offsets are from the start of the object, whose tagged pointer is 1 more.
 */
public record V8ProcessLayout(
        int firstFunctionType,
        int lastFunctionType,
        int instanceType,
        int shared,
        int exitFrame,
        AsyncCallerLayout asyncCallers) {
    public static final int RELOCATIONS_OFFSET = 0;
    private static final int ASYNC_CALLERS_OFFSET = 32;
    public static final int SIZE_BYTES = ASYNC_CALLERS_OFFSET + AsyncCallerLayout.SIZE_BYTES;

    /** What each beginning and end adds. */
    public static final int RELOCATION_STEP = 1 << 16;

    private static final int GENERATION_SHIFT = 48;
    /** The counter is never negative. */
    private static final long MAX_GENERATION = 0x7fff;

    /** Of a machine that runs many Node processes; further ones have unnamed JavaScript frames. */
    public static final int MAX_PROCESSES = 4096;

    /** Programs read this much of a JSFunction, and the 8 bytes there. */
    public static final int MAX_SHARED = 32;

    /** What lies where in V8's frames; other frames are refused before they come here (frame-constants.h). */
    public static final int FRAME_CONTEXT = -8;

    public static final int FRAME_FUNCTION = -16;
    public static final int FRAME_WORD = -40;

    public V8ProcessLayout {
        if (shared < 0 || shared > MAX_SHARED || shared % Long.BYTES != 0) {
            throw new IllegalArgumentException("a JSFunction with its SharedFunctionInfo at " + shared);
        }
    }

    /** Whether objects were being moved when the counter had this value. */
    public static boolean isMoving(long relocations) {
        return (relocations & RELOCATION_STEP - 1) != 0;
    }

    /**
     * The value of the map, in the machine's byte order.
     *
     * @param generation another one for each value
     */
    public ByteBuffer encode(int generation) {
        ByteBuffer value = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.nativeOrder());
        asyncCallers.put(value, ASYNC_CALLERS_OFFSET);
        return value.putLong((generation & MAX_GENERATION) << GENERATION_SHIFT)
                .putInt(firstFunctionType)
                .putInt(lastFunctionType)
                .putInt(instanceType)
                .putInt(shared)
                .putInt(exitFrame)
                .clear();
    }
}
