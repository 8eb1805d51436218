package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
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
 * Emits the code that appends the async callers of the running thread to a {@link JavaScriptRoom}: from the thread's
 * pointer to its isolate, to the microtask that it runs, and from there the chain of promises that {@link
 * AsyncChainFunction} follows. A thread that runs no microtask has none.
 */
final class AsyncCallerCode {
    /** Promises that are looked at: there are some between functions that await, as of {@code then} and {@code finally}. */
    private static final int MAX_PROMISES = 64;

    private static final int LAYOUT = V8ProcessLayout.ASYNC_CALLERS_OFFSET;

    private final Assembler assembler;

    AsyncCallerCode(Assembler assembler) {
        this.assembler = assembler;
    }

    /**
     * Appends to the room in the sample at R7 once its frames have been walked.
     *
     * @param contextSlot of two words: pointers to the room and to the process's {@link V8ProcessLayout}
     * @param done where to go on without async callers
     */
    void read(JavaScriptRoom room, int contextSlot, Label done) {
        int layoutSlot = contextSlot + Long.BYTES;
        assembler.load(Width.WORD, R1, R7, room.offset() + JavaScriptRoom.COUNT_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, done);
        assembler.load(Width.WORD, R1, R7, room.offset() + JavaScriptRoom.FLAGS_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, done);
        assembler.load(Width.DOUBLE_WORD, R3, R7, room.offset() + JavaScriptRoom.ISOLATE_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R3, 0, done);
        assembler.load(Width.DOUBLE_WORD, R1, R10, layoutSlot);
        assembler
                .load(Width.WORD, R1, R1, LAYOUT + AsyncCallerLayout.CURRENT_MICROTASK_OFFSET)
                .add(R3, R1);
        assembler.mov(R1, R7).add(R1, room.offset() + AsyncChainFunction.CURSOR).mov(R2, Long.BYTES);
        assembler.call(Helper.PROBE_READ_USER).jumpIf(Condition.NOT_EQUAL, R0, 0, done);
        for (int state : AsyncChainFunction.zeroed(room.frames())) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R7, room.offset() + state, 0);
        }
        assembler.mov(R1, MAX_PROMISES).loadFunction(R2, new AsyncChainFunction(room.frames()).assemble());
        assembler.mov(R3, R10).add(R3, contextSlot).mov(R4, 0).call(Helper.LOOP);
        assembler.jumpIf(Condition.LESS, R0, MAX_PROMISES, done);
        assembler.storeImmediate(Width.WORD, R7, room.offset() + JavaScriptRoom.FLAGS_OFFSET, JavaScriptRoom.ASYNC_CUT);
    }
}
