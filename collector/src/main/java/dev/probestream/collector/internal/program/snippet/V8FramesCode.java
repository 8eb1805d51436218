package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;

/** Emits the call of {@code v8_frames} (src/main/bpf/v8_frames.bpf.c), which fills a {@link JavaScriptRoom}. */
final class V8FramesCode {
    /** Of v8_frames() and follow_promise(). */
    static final int STACK_BYTES = 160;

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
        // In user mode or in the kernel on its behalf: the registers that the thread has in user mode.
        assembler.call(Helper.GET_CURRENT_TASK_BTF).mov(R1, R0).call(Helper.TASK_PT_REGS);
        assembler.load(Width.DOUBLE_WORD, R4, R0, registers.framePointerOffset());
        assembler.load(Width.DOUBLE_WORD, R5, R0, registers.stackPointerOffset());
        assembler.mov(R1, R7).add(R1, room.offset());
        assembler.load(Width.WORD, R2, R7, EventLayout.TGID_OFFSET);
        assembler.mov(R3, room.frames()).callFunction("v8_frames", STACK_BYTES);
    }
}
