package dev.probestream.collector.internal.program.layout;

import java.nio.ByteBuffer;

/**
 * What the program must know of one process's V8 to follow its async callers; a part of the value that the map of
 * processes with V8 has for it:
 *
 * <pre>
 * offset  size  field
 *      0     8  isolate          s64, what is to be added to a thread's pointer (fs_base) to get the address at which the
 *                                address of the thread's isolate is; 0 = async callers are not read
 *      8     4  currentMicrotask offset of that root from the isolate
 *     12     4  reaction         offset in PromiseReaction of next; behind it are the reject handler, the fulfill handler
 *                                and the promise or capability. A PromiseReactionJobTask has its handler and its promise
 *                                or capability at the places of the last two (js-promise.tq, microtask.tq)
 *     16     4  functionShared   offset of the SharedFunctionInfo in a JSFunction
 *     20     4  functionContext  offset of the Context in a JSFunction
 *     24     4  builtin          offset in a SharedFunctionInfo of the number of the builtin, a Smi
 *     28     2  }                instance types, in the order of {@link Type}
 *            2  }                numbers of builtins, in the order of {@link Builtin}; 65535 = this V8 has no such builtin
 * </pre>
 *
 * @param isolate see above
 * @param currentMicrotask see above
 * @param reaction see above: 8 or 16
 * @param functionShared see above
 * @param functionContext see above
 * @param builtin see above
 * @param types by {@link Type#ordinal}
 * @param builtins by {@link Builtin#ordinal}
 */
public record AsyncCallerLayout(
        long isolate,
        int currentMicrotask,
        int reaction,
        int functionShared,
        int functionContext,
        int builtin,
        int[] types,
        int[] builtins) {
    public static final int ISOLATE_OFFSET = 0;
    public static final int CURRENT_MICROTASK_OFFSET = 8;
    public static final int REACTION_OFFSET = 12;
    public static final int FUNCTION_SHARED_OFFSET = 16;
    public static final int FUNCTION_CONTEXT_OFFSET = 20;
    public static final int BUILTIN_OFFSET = 24;
    private static final int TYPES_OFFSET = 28;
    private static final int BUILTINS_OFFSET = TYPES_OFFSET + Type.values().length * Short.BYTES;

    /** Of the value's part, a multiple of 8. */
    public static final int SIZE_BYTES = (BUILTINS_OFFSET + Builtin.values().length * Short.BYTES + 7) / 8 * 8;

    /** No function has this number. */
    public static final int NO_BUILTIN = 0xffff;

    /** The instance types that the program compares with. */
    public enum Type {
        FULFILL_TASK,
        REJECT_TASK,
        PROMISE,
        REACTION,
        ASYNC_FUNCTION,
        ASYNC_GENERATOR,
        GENERATOR_REQUEST,
        CAPABILITY,
        FIRST_FUNCTION,
        LAST_FUNCTION,
        SHARED_FUNCTION_INFO;

        /** Of the u16 in the value's part. */
        public int offset() {
            return TYPES_OFFSET + ordinal() * Short.BYTES;
        }
    }

    /** The builtins that the program knows as handlers of a promise: those that V8 itself knows when it makes a stack. */
    public enum Builtin {
        FUNCTION_AWAIT_RESOLVE,
        GENERATOR_AWAIT_RESOLVE,
        GENERATOR_YIELD_RESOLVE,
        FUNCTION_AWAIT_REJECT,
        GENERATOR_AWAIT_REJECT,
        ALL_RESOLVE,
        ALL_SETTLED_RESOLVE,
        ANY_REJECT,
        CAPABILITY_RESOLVE;

        /** Of the u16 in the value's part. */
        public int offset() {
            return BUILTINS_OFFSET + ordinal() * Short.BYTES;
        }
    }

    public AsyncCallerLayout {
        types = types.clone();
        builtins = builtins.clone();
        if (types.length != Type.values().length || builtins.length != Builtin.values().length) {
            throw new IllegalArgumentException(types.length + " types and " + builtins.length + " builtins");
        }
    }

    @Override
    public int[] types() {
        return types.clone();
    }

    @Override
    public int[] builtins() {
        return builtins.clone();
    }

    /** Writes the value's part, in the buffer's order. */
    public void put(ByteBuffer value, int offset) {
        value.putLong(offset + ISOLATE_OFFSET, isolate);
        value.putInt(offset + CURRENT_MICROTASK_OFFSET, currentMicrotask);
        value.putInt(offset + REACTION_OFFSET, reaction);
        value.putInt(offset + FUNCTION_SHARED_OFFSET, functionShared);
        value.putInt(offset + FUNCTION_CONTEXT_OFFSET, functionContext);
        value.putInt(offset + BUILTIN_OFFSET, builtin);
        for (Type type : Type.values()) {
            value.putShort(offset + type.offset(), (short) types[type.ordinal()]);
        }
        for (Builtin each : Builtin.values()) {
            value.putShort(offset + each.offset(), (short) builtins[each.ordinal()]);
        }
    }
}
