package dev.probestream.collector.internal.program.snippet.histogram;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.StackCode;
import java.util.OptionalInt;

/**
 * Emits the code that writes the hash of the running thread's stack into the key of a histogram, and sends the stack through the
 * ring when it is hit for the first time (src/main/bpf/histogram.bpf.c).
 */
final class HistogramStackCode {
    private static final int HASHING_STACK_BYTES = 64;

    private final Assembler assembler;
    private final Fragments fragments;
    private final HistogramStackLayout layout;
    private final StackCode stacks;
    private final OptionalInt selfExecId;

    public HistogramStackCode(
            Assembler assembler, Fragments fragments, ProgramOptions options, HistogramStackLayout layout) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.layout = layout;
        this.stacks = new StackCode(assembler, options.registers());
        this.selfExecId = options.tasks().map(TaskOffsets::selfExecId).orElse(OptionalInt.empty());
    }

    /**
     * Writes the hash into the key. R6 = the context before; loses all registers.
     *
     * @param threadSlot where on the stack the running thread's ids stand
     * @param keySlot where the key is on the stack
     * @param notCounted where to go if the stack could not be built or sent
     */
    void write(int threadSlot, ProbeNumber probe, int keySlot, Label notCounted) {
        StackRoom room = layout.sample().stacks();
        assembler.loadMap(R1, layout.roomMap()).mov(R2, layout.busyOffset());
        assembler.callFunction("take_room", HistogramKeyCode.CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, notCounted);
        assembler.mov(R7, R0);
        fragments.header(threadSlot, RecordType.EVENT, probe);
        stacks.read(room);
        assembler
                .mov(R1, R7)
                .mov(R2, room.depths().kernel())
                .mov(R3, room.depths().user());
        assembler.mov(R4, room.depths().javaScript()).mov(R5, selfExecId.orElse(0));
        assembler.callFunction("hash_stacks", HASHING_STACK_BYTES);
        copy(HistogramStackLayout.FIRST_HASH_OFFSET, keySlot + layout.keyOffset());
        copy(HistogramStackLayout.SECOND_HASH_OFFSET, keySlot + layout.keyOffset() + Long.BYTES);
        assembler
                .mov(R1, R7)
                .loadMap(R2, layout.sentMap())
                .mov(R3, layout.sample().sizeBytes());
        assembler.callFunction("send_stack", HistogramKeyCode.CALLED_STACK_BYTES);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, notCounted);
    }

    private void copy(int sampleOffset, int keyOffset) {
        assembler.load(Width.DOUBLE_WORD, R1, R7, sampleOffset).store(Width.DOUBLE_WORD, R10, keyOffset, R1);
    }
}
