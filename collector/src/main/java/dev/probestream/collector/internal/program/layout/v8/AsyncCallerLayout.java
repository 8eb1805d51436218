package dev.probestream.collector.internal.program.layout.v8;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * What the program needs of one process's V8 to follow its async callers; a part of the value that the map of
 * processes with V8 has for it ({@code struct async_layout} of src/main/bpf/v8.h):
 *
 * <pre>
 * offset  size  field
 *      0     8  isolate          s64, what is to be added to a thread's pointer (fs_base) to get the address at which the
 *                                address of the thread's isolate is
 *      8     8  isolateKey       address of an u32, a key of pthread_getspecific: {@link #KEY_BYTES} for each key before it
 *                                are to be added, too; 0 = there is none
 *     16     4  currentMicrotask offset of that root from the isolate
 *     20     4  reaction         offset in PromiseReaction of next; behind it are the reject handler, the fulfill handler
 *                                and the promise or capability. A PromiseReactionJobTask has its handler and its promise
 *                                or capability at the places of the last two (js-promise.tq, microtask.tq)
 *     24     4  functionShared   offset of the SharedFunctionInfo in a JSFunction
 *     28     4  functionContext  offset of the Context in a JSFunction
 *     32     4  builtin          offset in a SharedFunctionInfo of the number of the builtin, a Smi
 *     36     4  threadPointer    offset of the thread pointer in the kernel's task_struct; 0 = async callers are not read
 *     40     2  }                instance types and numbers of builtins; see {@link ObjectType#offset} and {@link Builtin#offset}
 * </pre>
 *
 * @param isolate see above
 * @param isolateKey see above
 * @param currentMicrotask see above
 * @param reaction see above: 8 or 16
 * @param functionShared see above
 * @param functionContext see above
 * @param builtin see above
 * @param threadPointer see above
 * @param types all of them, or none in {@link #NONE}
 * @param builtins likewise
 */
public record AsyncCallerLayout(
        long isolate,
        long isolateKey,
        int currentMicrotask,
        int reaction,
        int functionShared,
        int functionContext,
        int builtin,
        int threadPointer,
        Map<ObjectType, Integer> types,
        Map<Builtin, Integer> builtins) {
    private static final int ISOLATE_OFFSET = 0;
    private static final int ISOLATE_KEY_OFFSET = 8;
    private static final int CURRENT_MICROTASK_OFFSET = 16;
    private static final int REACTION_OFFSET = 20;
    private static final int FUNCTION_SHARED_OFFSET = 24;
    private static final int FUNCTION_CONTEXT_OFFSET = 28;
    private static final int BUILTIN_OFFSET = 32;
    private static final int THREAD_POINTER_OFFSET = 36;

    /**
     * glibc keeps the values of a thread's first keys in its struct pthread, to which the thread pointer points, at
     * specific_1stblock: of each a struct pthread_key_data of 16 bytes, a sequence number and the value. Only the
     * code of pthread_getspecific shows where it is; it is the same in glibc 2.17 to 2.41 for x86-64.
     */
    public static final int FIRST_KEY_VALUE = 0x310 + 8;

    public static final int KEY_BYTES = 16;
    /** PTHREAD_KEY_2NDLEVEL_SIZE: the values of further keys are elsewhere. */
    public static final int FIRST_KEYS = 32;

    /** The bits that these offsets may have: the program masks them, because the verifier requires bounds. */
    private static final int REACTION_MASK = 0x18;

    private static final int FUNCTION_MASK = 0x38;
    private static final int BUILTIN_MASK = 0x18;

    /** Of the value's part, a multiple of 8. */
    public static final int SIZE_BYTES = 88;

    /** Of a process whose async callers are not read. */
    public static final AsyncCallerLayout NONE = new AsyncCallerLayout(0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of());

    /** The instance types that the program compares with. */
    public enum ObjectType {
        FULFILL_TASK(40),
        REJECT_TASK(42),
        PROMISE(44),
        PROMISE_REACTION(46),
        ASYNC_FUNCTION(48),
        ASYNC_GENERATOR(50),
        GENERATOR_REQUEST(52),
        CAPABILITY(54),
        FIRST_FUNCTION(56),
        LAST_FUNCTION(58),
        SHARED_FUNCTION_INFO(60),
        CALLABLE_TASK(80),
        THENABLE_TASK(82);

        private final int offset;

        ObjectType(int offset) {
            this.offset = offset;
        }

        /** Of the u16 in the value's part. */
        public int offset() {
            return offset;
        }
    }

    /** The builtins that the program recognises as handlers of a promise, as V8 itself does when it makes a stack. */
    public enum Builtin {
        FUNCTION_AWAIT_RESOLVE(62),
        GENERATOR_AWAIT_RESOLVE(64),
        GENERATOR_YIELD_RESOLVE(66),
        FUNCTION_AWAIT_REJECT(68),
        GENERATOR_AWAIT_REJECT(70),
        ALL_RESOLVE(72),
        ALL_SETTLED_RESOLVE(74),
        ANY_REJECT(76),
        CAPABILITY_RESOLVE(78),
        PROMISE_CONSTRUCTOR(84);

        private final int offset;

        Builtin(int offset) {
            this.offset = offset;
        }

        /** Of the u16 in the value's part. */
        public int offset() {
            return offset;
        }
    }

    public AsyncCallerLayout {
        types = Map.copyOf(types);
        builtins = Map.copyOf(builtins);
        if ((reaction & ~REACTION_MASK) != 0
                || (functionShared & ~FUNCTION_MASK) != 0
                || (functionContext & ~FUNCTION_MASK) != 0
                || (builtin & ~BUILTIN_MASK) != 0) {
            throw new IllegalArgumentException(
                    "offsets " + reaction + ", " + functionShared + ", " + functionContext + ", " + builtin);
        }
    }

    /** {@return this layout with the offset of the thread pointer in this kernel's task_struct} */
    public AsyncCallerLayout withThreadPointer(int newThreadPointer) {
        return new AsyncCallerLayout(
                isolate,
                isolateKey,
                currentMicrotask,
                reaction,
                functionShared,
                functionContext,
                builtin,
                newThreadPointer,
                types,
                builtins);
    }

    /** Writes the value's part, in the buffer's order. */
    public void put(ByteBuffer value, int offset) {
        value.putLong(offset + ISOLATE_OFFSET, isolate);
        value.putLong(offset + ISOLATE_KEY_OFFSET, isolateKey);
        value.putInt(offset + CURRENT_MICROTASK_OFFSET, currentMicrotask);
        value.putInt(offset + REACTION_OFFSET, reaction);
        value.putInt(offset + FUNCTION_SHARED_OFFSET, functionShared);
        value.putInt(offset + FUNCTION_CONTEXT_OFFSET, functionContext);
        value.putInt(offset + BUILTIN_OFFSET, builtin);
        value.putInt(offset + THREAD_POINTER_OFFSET, threadPointer);
        types.forEach((type, number) -> value.putShort(offset + type.offset(), number.shortValue()));
        builtins.forEach((each, number) -> value.putShort(offset + each.offset(), number.shortValue()));
    }
}
