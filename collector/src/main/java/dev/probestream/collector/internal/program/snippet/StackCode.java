package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.StackRoom;

/** Emits the code that writes the stacks of the running thread into the sample at R7. */
public final class StackCode {
    /** linux/bpf.h. */
    private static final int BPF_F_USER_STACK = 1 << 8;

    private final Assembler assembler;
    private final V8FramesCode javaScript;

    public StackCode(Assembler assembler, RegisterTable registers) {
        this.assembler = assembler;
        this.javaScript = new V8FramesCode(assembler, registers);
    }

    /** {@return what {@link #read} takes of the program's stack for functions that it calls} */
    public static int calledStackBytes(StackRoom room) {
        return room.isAny() && room.javaScript().isAny() ? V8FramesCode.STACK_BYTES : 0;
    }

    public void read(StackRoom room) {
        if (room.isAny()) {
            read(
                    room.kernelBytesOffset(),
                    room.kernelFramesOffset(),
                    room.depths().kernel(),
                    0);
            read(room.userBytesOffset(), room.userFramesOffset(), room.depths().user(), BPF_F_USER_STACK);
            if (room.javaScript().isAny()) {
                javaScript.read(room.javaScript());
            }
        }
    }

    /** Writes that there are no stacks. */
    public void none(StackRoom room) {
        assembler.storeImmediate(Width.WORD, R7, room.kernelBytesOffset(), 0);
        assembler.storeImmediate(Width.WORD, R7, room.userBytesOffset(), 0);
        if (room.javaScript().isAny()) {
            javaScript.none(room.javaScript());
        }
    }

    private void read(int bytesOffset, int framesOffset, int depth, int flags) {
        if (depth == 0) {
            assembler.storeImmediate(Width.WORD, R7, bytesOffset, 0);
            return;
        }
        assembler.mov(R1, R6);
        assembler.mov(R2, R7).add(R2, framesOffset);
        assembler.mov(R3, depth * Long.BYTES).mov(R4, flags);
        assembler.call(Helper.GET_STACK);
        assembler.store(Width.WORD, R7, bytesOffset, R0);
    }
}
