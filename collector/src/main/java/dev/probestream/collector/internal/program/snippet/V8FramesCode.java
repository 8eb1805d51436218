package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
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
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.V8ProcessLayout;
import java.util.List;

/**
 * Emits the code that walks the frames of V8 in the running thread and writes their functions into a {@link
 * JavaScriptRoom}. The walk is a function that bpf_loop calls once for each frame, so the verifier looks at it once. What
 * it keeps from frame to frame is in the sample, not on the stack, where the verifier would follow it through all turns.
 *
 * <pre>
 * frame pointer + 8  address at which the caller goes on
 *                 0  the caller's frame pointer
 *               - 8  context of a JavaScript frame (tagged), else the type of the frame
 *               -16  JSFunction
 *               -32  bytecode array, of interpreted and baseline frames
 *               -40  bytecode offset (Smi), of interpreted frames
 * </pre>
 */
final class V8FramesCode {
    /** Frames of any kind that are looked at: there are frames of C++ and of V8's own code between those of JavaScript. */
    private static final int MAX_WALKED = 256;

    private static final int FRAME_BYTES = 2 * Long.BYTES - V8ProcessLayout.FRAME_WORD;

    // Where the function reads to, from the place of the next entry: the frame, its function, the type of a map.
    private static final int FRAME = JavaScriptRoom.ENTRIES_OFFSET;
    private static final int CONTEXT = FRAME + V8ProcessLayout.FRAME_CONTEXT - V8ProcessLayout.FRAME_WORD;
    private static final int FUNCTION = FRAME + V8ProcessLayout.FRAME_FUNCTION - V8ProcessLayout.FRAME_WORD;
    private static final int CALLERS_FRAME = FRAME - V8ProcessLayout.FRAME_WORD;
    private static final int RETURN_ADDRESS = CALLERS_FRAME + Long.BYTES;
    private static final int OBJECT = FRAME + FRAME_BYTES;
    private static final int OBJECT_BYTES = V8ProcessLayout.MAX_SHARED + Long.BYTES;
    private static final int TYPE = OBJECT + OBJECT_BYTES;

    /** Keeps what is added to a pointer below 64, as the verifier demands; offsets are at most MAX_SHARED. */
    private static final int SHARED_MASK = 0x38;

    /** As large as stacks of threads usually are, at most. */
    private static final int MAX_STACK_BYTES = 64 << 20;

    private static final int TAG_MASK = 3;
    private static final int HEAP_OBJECT_TAG = 1;

    private final Assembler assembler;
    private final RegisterTable registers;

    V8FramesCode(Assembler assembler, RegisterTable registers) {
        this.assembler = assembler;
        this.registers = registers;
    }

    /** Writes that there are no JavaScript frames. */
    void none(JavaScriptRoom room) {
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.COUNT_OFFSET, 0);
    }

    /** Fills the room in the sample at R7, whose header has been written. */
    void read(JavaScriptRoom room) {
        Label done = assembler.newLabel();
        // Two pointers for the function: to the room and to the process's layout.
        int contextSlot = assembler.stackSlot(2 * Long.BYTES);
        int layoutSlot = contextSlot + Long.BYTES;
        none(room);
        assembler.load(Width.WORD, R1, R7, EventLayout.TGID_OFFSET);
        assembler.store(Width.WORD, R10, contextSlot, R1);
        assembler.loadMap(R1, MapNames.V8_PROCESSES);
        assembler.mov(R2, R10).add(R2, contextSlot).call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.store(Width.DOUBLE_WORD, R10, layoutSlot, R0);
        assembler.load(Width.DOUBLE_WORD, R1, R0, V8ProcessLayout.RELOCATIONS_OFFSET);
        assembler.store(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.RELOCATIONS_OFFSET, R1);
        new IsolateCode(assembler).read(room, layoutSlot);
        // In user mode or in the kernel on its behalf: the registers that the thread has in user mode.
        assembler.call(Helper.GET_CURRENT_TASK_BTF).mov(R1, R0).call(Helper.TASK_PT_REGS);
        assembler.load(Width.DOUBLE_WORD, R1, R0, registers.framePointerOffset());
        assembler.store(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.FRAME_POINTER_OFFSET, R1);
        assembler.load(Width.DOUBLE_WORD, R1, R0, registers.stackPointerOffset());
        assembler.store(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.PC_OFFSET, R1);
        fromExitFrame(room, layoutSlot);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.PC_OFFSET, 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.FUNCTION_MAP_OFFSET, 0);
        assembler.mov(R1, R7).add(R1, room.offset()).store(Width.DOUBLE_WORD, R10, contextSlot, R1);
        assembler.mov(R1, MAX_WALKED).loadFunction(R2, frameFunction(room.frames()));
        assembler.mov(R3, R10).add(R3, contextSlot).mov(R4, 0).call(Helper.LOOP);
        Label walked = assembler.newLabel();
        assembler.jumpIf(Condition.LESS, R0, MAX_WALKED, walked);
        assembler.storeImmediate(Width.WORD, R7, room.offset() + JavaScriptRoom.FLAGS_OFFSET, JavaScriptRoom.CUT);
        assembler.bind(walked);
        new AsyncCallerCode(assembler).read(room, contextSlot, done);
        assembler.bind(done);
    }

    /**
     * In C++ that JavaScript has called, V8 knows the frame that it was left with, and the walk begins there: C++ need not
     * have frame pointers. The stack pointer is where the walk will keep its pc.
     */
    private void fromExitFrame(JavaScriptRoom room, int layoutSlot) {
        Label unknown = assembler.newLabel();
        int word = room.offset() + JavaScriptRoom.FUNCTION_MAP_OFFSET;
        assembler.load(Width.DOUBLE_WORD, R3, R7, room.offset() + JavaScriptRoom.ISOLATE_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, unknown);
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R1, V8ProcessLayout.EXIT_FRAME_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, unknown);
        assembler.add(R3, R1).mov(R1, R7).add(R1, word).mov(R2, Long.BYTES).call(Helper.PROBE_READ_USER);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unknown);
        assembler.load(Width.DOUBLE_WORD, R1, R7, word);
        assembler.load(Width.DOUBLE_WORD, R2, R7, room.offset() + JavaScriptRoom.PC_OFFSET);
        assembler.mov(R3, R1).sub(R3, R2).jumpIf(Condition.GREATER, R3, MAX_STACK_BYTES, unknown);
        assembler.mov(R3, R1).and(R3, Long.BYTES - 1).jumpIf(Condition.NOT_EQUAL, R3, 0, unknown);
        assembler.store(Width.DOUBLE_WORD, R7, room.offset() + JavaScriptRoom.FRAME_POINTER_OFFSET, R1);
        assembler.bind(unknown);
    }

    /**
     * The function of one frame: (index, context) -> 1 = the walk is over. R6 = the frame pointer, R7 = the room, R8 = the
     * layout, R9 = the room moved by as many entries as there are.
     */
    private static List<Instruction> frameFunction(int frames) {
        Assembler function = new Assembler();
        Label next = function.newLabel();
        Label cut = function.newLabel();
        Label unreadable = function.newLabel();
        Label over = function.newLabel();
        function.load(Width.DOUBLE_WORD, R7, R2, 0).load(Width.DOUBLE_WORD, R8, R2, Long.BYTES);
        function.load(Width.WORD, R1, R7, JavaScriptRoom.COUNT_OFFSET);
        function.jumpIf(Condition.GREATER, R1, frames, over);
        function.mul(R1, JavaScriptRoom.ENTRY_SIZE_BYTES).mov(R9, R7).add(R9, R1);
        function.load(Width.DOUBLE_WORD, R6, R7, JavaScriptRoom.FRAME_POINTER_OFFSET);
        function.mov(R3, R6).add(R3, V8ProcessLayout.FRAME_WORD);
        readUser(function, FRAME, FRAME_BYTES, unreadable);
        jumpUnlessObject(function, CONTEXT, next);
        jumpUnlessObject(function, FUNCTION, next);
        function.sub(R3, HEAP_OBJECT_TAG);
        readUser(function, OBJECT, OBJECT_BYTES, next);
        jumpUnlessFunction(function, next);
        entry(function, frames, next, cut);
        function.bind(next);
        Label grown = function.newLabel();
        throughEntryFrame(function, grown, over);
        function.load(Width.DOUBLE_WORD, R1, R9, RETURN_ADDRESS);
        function.store(Width.DOUBLE_WORD, R7, JavaScriptRoom.PC_OFFSET, R1);
        function.load(Width.DOUBLE_WORD, R1, R9, CALLERS_FRAME);
        function.bind(grown);
        toFrame(function, over);
        function.mov(R0, 0).exit();
        function.bind(cut);
        function.storeImmediate(Width.WORD, R7, JavaScriptRoom.FLAGS_OFFSET, JavaScriptRoom.CUT);
        function.jump(over);
        function.bind(unreadable);
        function.storeImmediate(Width.WORD, R7, JavaScriptRoom.FLAGS_OFFSET, JavaScriptRoom.UNREADABLE);
        function.bind(over);
        function.mov(R0, 1).exit();
        return function.assemble();
    }

    /** Reads user memory at R3 to R9 + offset. */
    private static void readUser(Assembler function, int offset, int sizeBytes, Label unreadable) {
        function.mov(R1, R9).add(R1, offset).mov(R2, sizeBytes).call(Helper.PROBE_READ_USER);
        function.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }

    /** R3 = what was read to R9 + offset. */
    private static void jumpUnlessObject(Assembler function, int offset, Label target) {
        function.load(Width.DOUBLE_WORD, R3, R9, offset);
        jumpUnlessTagged(function, R3, target);
    }

    private static void jumpUnlessTagged(Assembler function, Register pointer, Label target) {
        function.mov(R1, pointer).and(R1, TAG_MASK).jumpIf(Condition.NOT_EQUAL, R1, HEAP_OBJECT_TAG, target);
    }

    /** Looks at the type of the object's map, unless it is the map of the function before. */
    private static void jumpUnlessFunction(Assembler function, Label target) {
        Label known = function.newLabel();
        function.load(Width.DOUBLE_WORD, R3, R9, OBJECT);
        function.load(Width.DOUBLE_WORD, R1, R7, JavaScriptRoom.FUNCTION_MAP_OFFSET);
        function.jumpIf(Condition.EQUAL, R3, R1, known);
        jumpUnlessTagged(function, R3, target);
        function.sub(R3, HEAP_OBJECT_TAG);
        function.load(Width.WORD, R1, R8, V8ProcessLayout.INSTANCE_TYPE_OFFSET).add(R3, R1);
        readUser(function, TYPE, Short.BYTES, target);
        function.load(Width.HALF, R1, R9, TYPE);
        function.load(Width.WORD, R2, R8, V8ProcessLayout.FIRST_FUNCTION_TYPE_OFFSET);
        function.jumpIf(Condition.LESS, R1, R2, target);
        function.load(Width.WORD, R2, R8, V8ProcessLayout.LAST_FUNCTION_TYPE_OFFSET);
        function.jumpIf(Condition.GREATER, R1, R2, target);
        function.load(Width.DOUBLE_WORD, R1, R9, OBJECT);
        function.store(Width.DOUBLE_WORD, R7, JavaScriptRoom.FUNCTION_MAP_OFFSET, R1);
        function.bind(known);
    }

    private static void entry(Assembler function, int frames, Label next, Label cut) {
        function.load(Width.WORD, R1, R8, V8ProcessLayout.SHARED_OFFSET).and(R1, SHARED_MASK);
        function.mov(R2, R9).add(R2, R1).load(Width.DOUBLE_WORD, R3, R2, OBJECT);
        jumpUnlessTagged(function, R3, next);
        function.load(Width.WORD, R1, R7, JavaScriptRoom.COUNT_OFFSET);
        function.jumpIf(Condition.GREATER_OR_EQUAL, R1, frames, cut);
        function.add(R1, 1).store(Width.WORD, R7, JavaScriptRoom.COUNT_OFFSET, R1);
        // Compiled frames have any word there, another one at each hit: equal stacks would not be equal.
        Label isSmi = function.newLabel();
        function.load(Width.DOUBLE_WORD, R1, R9, FRAME).mov32(R2, R1);
        function.jumpIf(Condition.EQUAL, R2, 0, isSmi).mov(R1, 0).bind(isSmi);
        function.store(Width.DOUBLE_WORD, R9, FRAME + JavaScriptRoom.ENTRY_WORD_OFFSET, R1);
        function.store(Width.DOUBLE_WORD, R9, FRAME + JavaScriptRoom.ENTRY_SHARED_OFFSET, R3);
        function.load(Width.DOUBLE_WORD, R1, R7, JavaScriptRoom.PC_OFFSET);
        function.store(Width.DOUBLE_WORD, R9, FRAME + JavaScriptRoom.ENTRY_PC_OFFSET, R1);
    }

    /**
     * Where C++ has called JavaScript, the entry frame contains the address of the exit frame by which that C++ was
     * called from JavaScript; the outermost has none. Only above a frame of JavaScript, which has V8's frames around
     * it: C++ may have any word there.
     *
     * @param found jumps there with R1 = the exit frame
     */
    private static void throughEntryFrame(Assembler function, Label found, Label over) {
        Label entry = function.newLabel();
        Label other = function.newLabel();
        function.load(Width.DOUBLE_WORD, R1, R9, CONTEXT);
        function.jumpIf(Condition.EQUAL, R1, V8ProcessLayout.ENTRY_MARKER, entry);
        function.jumpIf(Condition.NOT_EQUAL, R1, V8ProcessLayout.CONSTRUCT_ENTRY_MARKER, other);
        function.bind(entry);
        function.load(Width.WORD, R1, R7, JavaScriptRoom.COUNT_OFFSET).jumpIf(Condition.EQUAL, R1, 0, other);
        function.load(Width.WORD, R1, R8, V8ProcessLayout.EXIT_FRAME_OFFSET);
        function.jumpIf(Condition.EQUAL, R1, 0, other);
        function.mov(R3, R6).add(R3, V8ProcessLayout.ENTRY_EXIT_FRAME);
        readUser(function, OBJECT, Long.BYTES, over);
        function.load(Width.DOUBLE_WORD, R1, R9, OBJECT);
        function.jump(found);
        function.bind(other);
    }

    /** Goes on with the frame at R1. The stack grows downwards: the caller's frame lies above. */
    private static void toFrame(Assembler function, Label over) {
        function.jumpIf(Condition.LESS_OR_EQUAL, R1, R6, over);
        function.mov(R2, R1).and(R2, Long.BYTES - 1).jumpIf(Condition.NOT_EQUAL, R2, 0, over);
        function.store(Width.DOUBLE_WORD, R7, JavaScriptRoom.FRAME_POINTER_OFFSET, R1);
    }
}
