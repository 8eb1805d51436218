package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.AsyncCallerLayout.Builtin;
import dev.probestream.collector.internal.program.layout.AsyncCallerLayout.ObjectType;
import dev.probestream.collector.internal.program.layout.AsyncKind;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.V8ProcessLayout;
import java.util.List;

/**
 * The function that bpf_loop calls for each promise on the way from the running microtask to its async callers. It goes
 * the way that V8 goes when it makes the stack of an Error (CaptureAsyncStackTrace in v8/src/execution/isolate.cc):
 *
 * <pre>
 * the first turn: PromiseReactionJobTask
 *     its handler continues an async function or generator that is running -> that one's promise
 *     else -> its promise
 * each other turn: JSPromise, pending, with one reaction, whose handlers are
 *     the continuation of an async function or generator: an async caller -> that one's promise
 *     one element of Promise.all, allSettled, any: an async caller -> the promise of the combination
 *     the resolving function of a promise (Promise.race) -> that promise
 *     anything else -> the promise that then() returned
 * </pre>
 *
 * <p>Every object's instance type is checked before anything of it is used. What does not check out ends the chain.
 */
final class AsyncChainFunction {
    // What is kept in the room from turn to turn: where frames were walked with.
    static final int CURSOR = JavaScriptRoom.FRAME_POINTER_OFFSET;
    private static final int CALLERS = JavaScriptRoom.PC_OFFSET;
    private static final int PROMISE_MAP = JavaScriptRoom.FUNCTION_MAP_OFFSET;

    // Behind the last entry, what is read of an object, and what is kept of it, by offset from there.
    private static final int OBJECT_BYTES = 64;
    private static final int TYPE = OBJECT_BYTES;
    private static final int CONTEXT = TYPE + 8;
    private static final int IS_GENERATOR = CONTEXT + 8;
    private static final int REJECT_HANDLER = IS_GENERATOR + 8;
    private static final int DERIVED_PROMISE = REJECT_HANDLER + 8;
    private static final int SHARED_MAP = DERIVED_PROMISE + 8;
    private static final int CLOSURE_MAP = SHARED_MAP + 8;

    // Offsets in V8's objects that are the same in all versions: js-promise.tq, promise.tq, js-generator.tq,
    // contexts.tq.
    private static final int MAP = 0;
    private static final int PROMISE_REACTIONS = 24;
    private static final int PROMISE_FLAGS = 32;
    private static final int PROMISE_BYTES = 40;
    private static final int PROMISE_STATUS_MASK = 3;
    private static final int REACTION_BYTES = 48;
    private static final int NEXT_TO_REJECT = 8;
    private static final int NEXT_TO_FULFILL = 16;
    private static final int NEXT_TO_DERIVED = 24;
    private static final int FUNCTION_BYTES = 48;
    private static final int SHARED_BYTES = 24;
    private static final int GENERATOR_FUNCTION = 24;
    private static final int GENERATOR_OFFSET = 48;
    private static final int GENERATOR_CONTINUATION = 64;
    private static final int GENERATOR_PROMISE_OR_QUEUE = 80;
    private static final int GENERATOR_EXECUTING = -2;
    private static final int REQUEST_PROMISE = 32;
    private static final int CAPABILITY_PROMISE = 8;
    /** Context::EXTENSION_INDEX, PromiseBuiltins::kPromiseSlot. */
    private static final int CONTEXT_SLOT_2 = 32;
    /** PromiseBuiltins::kPromiseAllResolveElementCapabilitySlot, kPromiseAnyRejectElementCapabilitySlot. */
    private static final int CONTEXT_SLOT_3 = 40;

    private static final int TAG_MASK = 3;
    private static final int HEAP_OBJECT_TAG = 1;
    private static final int SMI_SHIFT = 32;
    private static final int NOT_A_BUILTIN = -1;

    private static final int ENTRY = JavaScriptRoom.ENTRIES_OFFSET;
    private static final int LAYOUT = V8ProcessLayout.ASYNC_CALLERS_OFFSET;

    /** R6 = the room, R7 = the layout, R8 = the turn, R9 = the object that is read, tagged. */
    private final Assembler function = new Assembler();

    private final Label next = function.newLabel();
    private final Label cut = function.newLabel();
    private final Label over = function.newLabel();
    private final Label await = function.newLabel();
    private final Label combination = function.newLabel();
    private final int frames;
    private final int object;

    /** @param frames how many entries fit into the room */
    AsyncChainFunction(int frames) {
        this.frames = frames;
        this.object = object(frames);
    }

    /** Where in a room the program may read to. */
    static int object(int frames) {
        return JavaScriptRoom.ENTRIES_OFFSET + frames * JavaScriptRoom.ENTRY_SIZE_BYTES;
    }

    /** What must be 0 in a room before the first turn. */
    static int[] zeroed(int frames) {
        return new int[] {CALLERS, PROMISE_MAP, object(frames) + SHARED_MAP, object(frames) + CLOSURE_MAP};
    }

    /** (index, {room, layout}) -> 1 = there are no more async callers. */
    List<Instruction> assemble() {
        Label task = function.newLabel();
        function.load(Width.DOUBLE_WORD, R6, R2, 0).load(Width.DOUBLE_WORD, R7, R2, Long.BYTES);
        function.mov(R8, R1);
        function.load(Width.DOUBLE_WORD, R9, R6, CURSOR);
        function.jumpIf(Condition.EQUAL, R8, 0, task);
        promise();
        function.bind(task);
        taskOrReaction();
        handlers();
        function.bind(await);
        await();
        function.bind(combination);
        combination();
        function.bind(next);
        function.store(Width.DOUBLE_WORD, R6, CURSOR, R9).mov(R0, 0).exit();
        function.bind(cut);
        function.storeImmediate(Width.WORD, R6, JavaScriptRoom.FLAGS_OFFSET, JavaScriptRoom.ASYNC_CUT);
        function.bind(over);
        function.mov(R0, 1).exit();
        return function.assemble();
    }

    /** R9 = a pending promise, then its reaction. */
    private void promise() {
        read(MAP, PROMISE_BYTES, cut);
        jumpUnlessOfType(ObjectType.PROMISE, PROMISE_MAP, over);
        function.load(Width.DOUBLE_WORD, R1, R6, object + PROMISE_FLAGS).shiftRight(R1, SMI_SHIFT);
        function.and(R1, PROMISE_STATUS_MASK).jumpIf(Condition.NOT_EQUAL, R1, 0, over);
        function.load(Width.DOUBLE_WORD, R9, R6, object + PROMISE_REACTIONS);
    }

    /** R9 = a task or a reaction, then its handler; keeps the other handler and the promise. */
    private void taskOrReaction() {
        Label reaction = function.newLabel();
        Label known = function.newLabel();
        Label fields = function.newLabel();
        read(MAP, REACTION_BYTES, cut);
        loadType(over);
        function.jumpIf(Condition.NOT_EQUAL, R8, 0, reaction);
        jumpIfType(Condition.EQUAL, ObjectType.FULFILL_TASK, fields);
        jumpIfType(Condition.EQUAL, ObjectType.REJECT_TASK, fields);
        function.jump(over);
        function.bind(reaction);
        jumpIfType(Condition.NOT_EQUAL, ObjectType.REACTION, over);
        function.bind(fields);
        field(AsyncCallerLayout.REACTION_OFFSET, AsyncCallerLayout.REACTION_MASK);
        function.jumpIf(Condition.EQUAL, R8, 0, known);
        // Of several reactions, none is the caller.
        function.load(Width.DOUBLE_WORD, R1, R2, object).and(R1, HEAP_OBJECT_TAG);
        function.jumpIf(Condition.NOT_EQUAL, R1, 0, over);
        function.bind(known);
        function.load(Width.DOUBLE_WORD, R1, R2, object + NEXT_TO_REJECT);
        function.store(Width.DOUBLE_WORD, R6, object + REJECT_HANDLER, R1);
        function.load(Width.DOUBLE_WORD, R1, R2, object + NEXT_TO_DERIVED);
        function.store(Width.DOUBLE_WORD, R6, object + DERIVED_PROMISE, R1);
        function.load(Width.DOUBLE_WORD, R9, R2, object + NEXT_TO_FULFILL);
    }

    /** R9 = the handler; goes to what it continues. */
    private void handlers() {
        Label notFirst = function.newLabel();
        Label derived = function.newLabel();
        builtin();
        jumpIfBuiltin(Builtin.FUNCTION_AWAIT_RESOLVE, await);
        jumpIfBuiltin(Builtin.GENERATOR_AWAIT_RESOLVE, await);
        jumpIfBuiltin(Builtin.GENERATOR_YIELD_RESOLVE, await);
        function.jumpIf(Condition.NOT_EQUAL, R8, 0, notFirst);
        jumpIfBuiltin(Builtin.FUNCTION_AWAIT_REJECT, await);
        jumpIfBuiltin(Builtin.GENERATOR_AWAIT_REJECT, await);
        function.load(Width.DOUBLE_WORD, R9, R6, object + DERIVED_PROMISE).jump(next);
        function.bind(notFirst);
        function.mov(R8, AsyncKind.ALL.pc());
        jumpIfBuiltin(Builtin.ALL_RESOLVE, combination);
        function.mov(R8, AsyncKind.ALL_SETTLED.pc());
        jumpIfBuiltin(Builtin.ALL_SETTLED_RESOLVE, combination);
        otherHandler(derived);
        function.bind(derived);
        derivedPromise();
    }

    /** Looks at the handler of rejection, then at the other one again. */
    private void otherHandler(Label derived) {
        Label capability = function.newLabel();
        Label seen = function.newLabel();
        function.load(Width.DOUBLE_WORD, R2, R6, object + CONTEXT);
        function.store(Width.DOUBLE_WORD, R6, CURSOR, R2);
        function.mov(R8, 1);
        jumpIfBuiltin(Builtin.CAPABILITY_RESOLVE, capability);
        function.mov(R8, 0);
        function.bind(capability);
        function.load(Width.DOUBLE_WORD, R9, R6, object + REJECT_HANDLER);
        builtin();
        function.jumpIf(Condition.NOT_EQUAL, R8, 0, seen);
        function.mov(R8, AsyncKind.ANY.pc());
        jumpIfBuiltin(Builtin.ANY_REJECT, combination);
        function.jump(derived);
        function.bind(seen);
        function.mov(R8, AsyncKind.ANY.pc());
        jumpIfBuiltin(Builtin.ANY_REJECT, combination);
        function.load(Width.DOUBLE_WORD, R9, R6, CURSOR);
        readWord(CONTEXT_SLOT_2);
        function.jump(next);
    }

    /** Goes on with the promise that then() returned, itself or in a capability. */
    private void derivedPromise() {
        function.load(Width.DOUBLE_WORD, R9, R6, object + DERIVED_PROMISE);
        read(MAP, CAPABILITY_PROMISE + Long.BYTES, cut);
        loadType(over);
        jumpIfType(Condition.EQUAL, ObjectType.PROMISE, next);
        jumpIfType(Condition.NOT_EQUAL, ObjectType.CAPABILITY, over);
        function.load(Width.DOUBLE_WORD, R9, R6, object + CAPABILITY_PROMISE).jump(next);
    }

    /** Appends the function that awaits, except the one that runs, and goes on with its promise. */
    private void await() {
        Label isFunction = function.newLabel();
        Label isGenerator = function.newLabel();
        Label suspended = function.newLabel();
        Label goOn = function.newLabel();
        function.load(Width.DOUBLE_WORD, R9, R6, object + CONTEXT);
        readWord(CONTEXT_SLOT_2);
        read(MAP, Long.BYTES, cut);
        loadType(over);
        function.storeImmediate(Width.DOUBLE_WORD, R6, object + IS_GENERATOR, 0);
        jumpIfType(Condition.EQUAL, ObjectType.ASYNC_FUNCTION, isFunction);
        jumpIfType(Condition.NOT_EQUAL, ObjectType.ASYNC_GENERATOR, over);
        function.storeImmediate(Width.DOUBLE_WORD, R6, object + IS_GENERATOR, 1);
        function.bind(isFunction);
        read(GENERATOR_FUNCTION, GENERATOR_PROMISE_OR_QUEUE + Long.BYTES - GENERATOR_FUNCTION, cut);
        function.load(Width.DOUBLE_WORD, R1, R6, object + GENERATOR_PROMISE_OR_QUEUE - GENERATOR_FUNCTION);
        function.store(Width.DOUBLE_WORD, R6, object + REJECT_HANDLER, R1);
        function.load(Width.DOUBLE_WORD, R1, R6, object + GENERATOR_CONTINUATION - GENERATOR_FUNCTION);
        function.shiftRightArithmetic(R1, SMI_SHIFT);
        function.jumpIf(Condition.NOT_EQUAL, R8, 0, suspended);
        function.jumpIf(Condition.NOT_EQUAL, R1, GENERATOR_EXECUTING, over);
        function.jump(goOn);
        function.bind(suspended);
        function.jumpIf(Condition.SIGNED_LESS, R1, 0, over);
        appendGenerator();
        function.bind(goOn);
        function.load(Width.DOUBLE_WORD, R9, R6, object + REJECT_HANDLER);
        function.load(Width.DOUBLE_WORD, R1, R6, object + IS_GENERATOR);
        function.jumpIf(Condition.NOT_EQUAL, R1, 0, isGenerator);
        function.jump(next);
        function.bind(isGenerator);
        read(MAP, REQUEST_PROMISE + Long.BYTES, cut);
        loadType(over);
        jumpIfType(Condition.NOT_EQUAL, ObjectType.GENERATOR_REQUEST, over);
        function.load(Width.DOUBLE_WORD, R9, R6, object + REQUEST_PROMISE).jump(next);
    }

    /** Of the generator whose fields have been read. */
    private void appendGenerator() {
        function.load(Width.DOUBLE_WORD, R1, R6, object + GENERATOR_OFFSET - GENERATOR_FUNCTION);
        function.store(Width.DOUBLE_WORD, R6, object + DERIVED_PROMISE, R1);
        function.mov32(R1, R1).jumpIf(Condition.NOT_EQUAL, R1, 0, over);
        function.load(Width.DOUBLE_WORD, R9, R6, object);
        read(MAP, FUNCTION_BYTES, cut);
        loadType(over);
        jumpIfType(Condition.LESS, ObjectType.FIRST_FUNCTION, over);
        jumpIfType(Condition.GREATER, ObjectType.LAST_FUNCTION, over);
        field(AsyncCallerLayout.FUNCTION_SHARED_OFFSET, AsyncCallerLayout.FUNCTION_MASK);
        function.load(Width.DOUBLE_WORD, R9, R2, object);
        read(MAP, Long.BYTES, cut);
        jumpUnlessOfType(ObjectType.SHARED_FUNCTION_INFO, object + SHARED_MAP, over);
        function.mov(R3, AsyncKind.AWAIT.pc());
        append(R3);
        function.load(Width.DOUBLE_WORD, R1, R6, object + DERIVED_PROMISE);
        function.store(Width.DOUBLE_WORD, R2, ENTRY + JavaScriptRoom.ENTRY_WORD_OFFSET, R1);
    }

    /** R8 = the kind, R9 = the closure's SharedFunctionInfo; goes on with the promise of the combination. */
    private void combination() {
        append(R8);
        function.storeImmediate(Width.DOUBLE_WORD, R2, ENTRY + JavaScriptRoom.ENTRY_WORD_OFFSET, 0);
        function.load(Width.DOUBLE_WORD, R9, R6, object + CONTEXT);
        readWord(CONTEXT_SLOT_3);
        read(MAP, CAPABILITY_PROMISE + Long.BYTES, cut);
        loadType(over);
        jumpIfType(Condition.NOT_EQUAL, ObjectType.CAPABILITY, over);
        function.load(Width.DOUBLE_WORD, R9, R6, object + CAPABILITY_PROMISE);
    }

    /** Adds the entry with the function R9, all but its word; R2 = the room moved to it. */
    private void append(Register kind) {
        function.load(Width.WORD, R1, R6, JavaScriptRoom.COUNT_OFFSET);
        function.jumpIf(Condition.GREATER_OR_EQUAL, R1, frames, cut);
        function.load(Width.DOUBLE_WORD, R2, R6, CALLERS);
        function.jumpIf(Condition.GREATER_OR_EQUAL, R2, JavaScriptRoom.MAX_ASYNC_CALLERS, cut);
        function.add(R2, 1).store(Width.DOUBLE_WORD, R6, CALLERS, R2);
        function.mov(R2, R1).add(R2, 1).store(Width.WORD, R6, JavaScriptRoom.COUNT_OFFSET, R2);
        function.mul(R1, JavaScriptRoom.ENTRY_SIZE_BYTES).mov(R2, R6).add(R2, R1);
        function.store(Width.DOUBLE_WORD, R2, ENTRY + JavaScriptRoom.ENTRY_PC_OFFSET, kind);
        function.store(Width.DOUBLE_WORD, R2, ENTRY + JavaScriptRoom.ENTRY_SHARED_OFFSET, R9);
    }

    /**
     * R9 = any object. R1 = its number if it is a function of a builtin, else {@link #NOT_A_BUILTIN}; of a function, R9 is
     * its SharedFunctionInfo then, and its context is kept.
     */
    private void builtin() {
        Label none = function.newLabel();
        Label known = function.newLabel();
        read(MAP, FUNCTION_BYTES, none);
        jumpUnlessOfType(ObjectType.FIRST_FUNCTION, object + CLOSURE_MAP, none);
        field(AsyncCallerLayout.FUNCTION_CONTEXT_OFFSET, AsyncCallerLayout.FUNCTION_MASK);
        function.load(Width.DOUBLE_WORD, R1, R2, object);
        function.store(Width.DOUBLE_WORD, R6, object + CONTEXT, R1);
        field(AsyncCallerLayout.FUNCTION_SHARED_OFFSET, AsyncCallerLayout.FUNCTION_MASK);
        function.load(Width.DOUBLE_WORD, R9, R2, object);
        read(MAP, SHARED_BYTES, none);
        jumpUnlessOfType(ObjectType.SHARED_FUNCTION_INFO, object + SHARED_MAP, none);
        field(AsyncCallerLayout.BUILTIN_OFFSET, AsyncCallerLayout.BUILTIN_MASK);
        function.load(Width.DOUBLE_WORD, R1, R2, object);
        function.mov32(R2, R1).jumpIf(Condition.NOT_EQUAL, R2, 0, none);
        function.shiftRight(R1, SMI_SHIFT).jump(known);
        function.bind(none);
        function.mov(R1, NOT_A_BUILTIN);
        function.bind(known);
    }

    /** R2 = the room moved by the field of the layout: what was read of an object is then at {@link #object}. */
    private void field(int layoutField, int mask) {
        function.load(Width.WORD, R2, R7, LAYOUT + layoutField).and(R2, mask).add(R2, R6);
    }

    /** Reads a part of the object R9; jumps if that is no pointer to an object or cannot be read. */
    private void read(int offset, int sizeBytes, Label failed) {
        Label noObject = failed == cut ? over : failed;
        function.mov(R1, R9).and(R1, TAG_MASK).jumpIf(Condition.NOT_EQUAL, R1, HEAP_OBJECT_TAG, noObject);
        function.mov(R1, R6).add(R1, object).mov(R2, sizeBytes);
        function.mov(R3, R9).add(R3, offset - HEAP_OBJECT_TAG).call(Helper.PROBE_READ_USER);
        function.jumpIf(Condition.NOT_EQUAL, R0, 0, failed);
    }

    /** R9 = the word at that offset in the object R9. */
    private void readWord(int offset) {
        read(offset, Long.BYTES, cut);
        function.load(Width.DOUBLE_WORD, R9, R6, object);
    }

    /** R1 = the instance type of the object whose map has been read. */
    private void loadType(Label failed) {
        function.load(Width.DOUBLE_WORD, R3, R6, object + MAP);
        function.mov(R1, R3).and(R1, TAG_MASK).jumpIf(Condition.NOT_EQUAL, R1, HEAP_OBJECT_TAG, failed);
        function.load(Width.WORD, R1, R7, V8ProcessLayout.INSTANCE_TYPE_OFFSET)
                .add(R3, R1)
                .sub(R3, HEAP_OBJECT_TAG);
        function.mov(R1, R6).add(R1, object + TYPE).mov(R2, Short.BYTES).call(Helper.PROBE_READ_USER);
        function.jumpIf(Condition.NOT_EQUAL, R0, 0, failed);
        function.load(Width.HALF, R1, R6, object + TYPE);
    }

    /** Looks at the type of the object's map, unless it is the map that was last seen to have this type. */
    private void jumpUnlessOfType(ObjectType type, int lastMap, Label failed) {
        Label known = function.newLabel();
        function.load(Width.DOUBLE_WORD, R1, R6, object + MAP).load(Width.DOUBLE_WORD, R2, R6, lastMap);
        function.jumpIf(Condition.EQUAL, R1, R2, known);
        loadType(failed);
        jumpIfType(Condition.NOT_EQUAL, type, failed);
        function.load(Width.DOUBLE_WORD, R1, R6, object + MAP).store(Width.DOUBLE_WORD, R6, lastMap, R1);
        function.bind(known);
    }

    private void jumpIfType(Condition condition, ObjectType type, Label target) {
        function.load(Width.HALF, R2, R7, LAYOUT + type.offset()).jumpIf(condition, R1, R2, target);
    }

    private void jumpIfBuiltin(Builtin builtin, Label target) {
        function.load(Width.HALF, R2, R7, LAYOUT + builtin.offset()).jumpIf(Condition.EQUAL, R1, R2, target);
    }
}
