package dev.probestream.collector.internal.program.layout.v8;

import dev.probestream.collector.internal.program.layout.MapNames;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What programs need of one process's Node.js to find the async context of a thread: the value of the hash {@link
 * MapNames#ASYNC_CONTEXTS}, whose key is the u32 tgid; {@code struct context_process} of src/main/bpf/known_threads.h.
 *
 * <pre>
 * offset  size  field
 *      0     8  isolate      s64, what is to be added to a thread's pointer (fs_base) to get the address at which the address
 *                            of the thread's isolate is
 *      8     8  isolateKey   as in {@link AsyncCallerLayout}; 0 = there is none
 *     16     8  nodeTag      the word by which a context is known to have an Environment (ContextEmbedderTag)
 *     24     4  context      offset in the isolate of the pointer to the current context; 0 = async ids are not read
 *     28     4  asyncIds     offset in an Environment of the pointer to its async ids, doubles in the order of
 *                            {@code AsyncHooks::UidFields}
 *     32     4  slot         offset in the isolate of the continuation preserved embedder data; 0 = there is none
 *     36     2  oddballType  the instance type of undefined
 *     38     2  bytecodeType that of a BytecodeArray
 *     40     4  instanceType offset in a Map of its u16 instance type
 *     44     4  microtask    offset in the isolate of the pointer to the microtask that runs; 0 = unknown
 *     48        promises     {@link AsyncCallerLayout}, by which those are followed; {@link AsyncCallerLayout#NONE} = unknown how
 *    136     4  exitFrame    offset in the isolate of the frame pointer of the last exit frame; 0 = unknown
 *    140     2  functionScript offset in a SharedFunctionInfo of its Script
 *    142     2  scriptName   offset in a Script of its name
 *    144        baseline     {@link BaselineCodeLayout}
 *    152        eventLoop    {@link EventLoopLayout}
 *    168        listeners    {@link StreamListenerLayout}
 * </pre>
 *
 * @param isolate see above
 * @param isolateKey see above
 * @param nodeTag see above
 * @param context see above
 * @param asyncIds see above
 * @param slot see above
 * @param oddballType see above
 * @param bytecodeType see above
 * @param instanceType see above
 * @param promises see above
 * @param exitFrame see above
 * @param functionScript see above
 * @param scriptName see above
 * @param baseline see above
 * @param eventLoop see above
 * @param listeners see above
 */
public record AsyncContextLayout(
        long isolate,
        long isolateKey,
        long nodeTag,
        int context,
        int asyncIds,
        int slot,
        int oddballType,
        int bytecodeType,
        int instanceType,
        AsyncCallerLayout promises,
        int exitFrame,
        int functionScript,
        int scriptName,
        BaselineCodeLayout baseline,
        EventLoopLayout eventLoop,
        StreamListenerLayout listeners) {
    /** From here on, what is needed at each hit. */
    public static final int HIT_FIELDS_OFFSET = 32;

    /** Behind what is needed at each hit. */
    public static final int HIT_FIELDS_END = 48;

    public static final int SIZE_BYTES = HIT_FIELDS_END
            + AsyncCallerLayout.SIZE_BYTES
            + 2 * Integer.BYTES
            + BaselineCodeLayout.SIZE_BYTES
            + EventLoopLayout.SIZE_BYTES
            + StreamListenerLayout.SIZE_BYTES;

    /** Of a machine that runs many Node processes; further ones have no contexts. */
    public static final int MAX_PROCESSES = 4096;

    // From a tagged pointer, which is 1 more than the address; the same in Node.js 18 to 26, other code is refused.
    /** Of any object: its Map. */
    public static final int OBJECT_MAP = -1;

    /** Of a context's Map: the native context. */
    public static final int NATIVE_CONTEXT = 0x1f;

    /** Of a native context: its EmbedderDataArray. */
    public static final int EMBEDDER_DATA = 0x2f;

    /** Of an EmbedderDataArray: element 32, the Environment (ContextEmbedderIndex::kEnvironment). */
    public static final int ENVIRONMENT = 0x10f;

    /** Of an EmbedderDataArray: element 39, the tag (kContextTag). */
    public static final int NODE_TAG = 0x147;

    /** The value of the map, in the machine's byte order. */
    public ByteBuffer encode() {
        ByteBuffer value = ByteBuffer.allocate(SIZE_BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(isolate)
                .putLong(isolateKey)
                .putLong(nodeTag)
                .putInt(context)
                .putInt(asyncIds)
                .putInt(slot)
                .putShort((short) oddballType)
                .putShort((short) bytecodeType)
                .putInt(instanceType)
                .putInt(promises.currentMicrotask());
        promises.put(value, HIT_FIELDS_END);
        value.position(HIT_FIELDS_END + AsyncCallerLayout.SIZE_BYTES)
                .putInt(exitFrame)
                .putShort((short) functionScript)
                .putShort((short) scriptName);
        baseline.put(value);
        eventLoop.put(value);
        listeners.put(value);
        return value.clear();
    }
}
