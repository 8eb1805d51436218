package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.V8ProcessLayout;

/**
 * Emits the code that finds the isolate of the running thread: from the thread's pointer, as the kernel keeps it, through
 * V8's thread-local variable or, before V8 11, its key of pthread_getspecific.
 */
final class IsolateCode {
    private static final int LAYOUT = V8ProcessLayout.ASYNC_CALLERS_OFFSET;

    private final Assembler assembler;

    IsolateCode(Assembler assembler) {
        this.assembler = assembler;
    }

    /**
     * Writes the isolate's address to the room in the sample at R7; 0 = the thread has none, or it cannot be found.
     *
     * @param layoutSlot of a pointer to the process's {@link V8ProcessLayout}
     */
    void read(JavaScriptRoom room, int layoutSlot) {
        int word = room.offset() + JavaScriptRoom.ISOLATE_OFFSET;
        Label none = assembler.newLabel();
        Label done = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler.load(Width.WORD, R1, R1, LAYOUT + AsyncCallerLayout.THREAD_POINTER_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, none);
        assembler.call(Helper.GET_CURRENT_TASK);
        read(Helper.PROBE_READ_KERNEL, word, Width.WORD, layoutSlot, AsyncCallerLayout.THREAD_POINTER_OFFSET, none);
        addKey(word, layoutSlot, none);
        assembler.load(Width.DOUBLE_WORD, R0, R7, word);
        read(Helper.PROBE_READ_USER, word, Width.DOUBLE_WORD, layoutSlot, AsyncCallerLayout.ISOLATE_OFFSET, none);
        assembler.jump(done);
        assembler.bind(none);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, word, 0);
        assembler.bind(done);
    }

    /** Where the isolate is kept under a key: moves the thread pointer in the sample by the keys before it. */
    private void addKey(int word, int layoutSlot, Label failed) {
        Label noKey = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler.load(Width.DOUBLE_WORD, R3, R1, LAYOUT + AsyncCallerLayout.ISOLATE_KEY_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, noKey);
        int key = word + Long.BYTES; // the place of the first entry
        assembler.mov(R1, R7).add(R1, key).mov(R2, Integer.BYTES).call(Helper.PROBE_READ_USER);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, failed);
        assembler.load(Width.WORD, R1, R7, key);
        assembler.jumpIf(Condition.GREATER_OR_EQUAL, R1, AsyncCallerLayout.FIRST_KEYS, failed);
        assembler.mul(R1, AsyncCallerLayout.KEY_BYTES);
        assembler.load(Width.DOUBLE_WORD, R2, R7, word).add(R2, R1).store(Width.DOUBLE_WORD, R7, word, R2);
        assembler.bind(noKey);
    }

    /** Reads the word at R0 + the layout's field to the sample. */
    private void read(Helper helper, int sampleOffset, Width fieldWidth, int layoutSlot, int field, Label failed) {
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler.load(fieldWidth, R3, R1, LAYOUT + field).add(R3, R0);
        assembler.mov(R1, R7).add(R1, sampleOffset).mov(R2, Long.BYTES).call(helper);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, failed);
    }
}
