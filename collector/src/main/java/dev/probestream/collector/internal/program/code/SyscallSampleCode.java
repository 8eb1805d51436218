package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.StackCode;

/**
 * Emits the code that makes the sample of a system call of its open entry, to which R9 points. Texts are read at the exit:
 * by then the kernel itself has had their pages brought in.
 */
final class SyscallSampleCode {
    static final int RESULT_OFFSET_IN_CONTEXT = 8;

    private final Assembler assembler;
    private final Fragments fragments;
    private final RegisterTable registers;
    private final SyscallLayout layout;
    private final int timeSlot;
    private final int textsSlot;
    private final Label full;
    private final Label done;

    /**
     * @param timeSlot where on the stack the time of the end stands
     * @param textsSlot 4 bytes of stack to be used
     * @param full where to go when the ring is full
     * @param done where to go when the sample is submitted
     */
    SyscallSampleCode(
            Assembler assembler,
            Fragments fragments,
            RegisterTable registers,
            SyscallLayout layout,
            int timeSlot,
            int textsSlot,
            Label full,
            Label done) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.registers = registers;
        this.layout = layout;
        this.timeSlot = timeSlot;
        this.textsSlot = textsSlot;
        this.full = full;
        this.done = done;
    }

    /** R0 = what is known of the entered call ({@link SyscallTexts}), which is also in the slot, or 0. */
    void loadTexts(int firstProbeId, Label none) {
        assembler.load(Width.WORD, R1, R9, EventLayout.PROBE_ID_OFFSET).sub(R1, firstProbeId);
        assembler.store(Width.WORD, R10, textsSlot, R1);
        fragments.lookup(MapNames.SYSCALL_TEXTS, textsSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, none);
        assembler.load(Width.WORD, R0, R0, 0);
        assembler.store(Width.WORD, R10, textsSlot, R0);
    }

    /** Makes the sample at the return; what is known of the call is in the slot. Ends with a jump. */
    void atReturn() {
        Label[] variants = {assembler.newLabel(), assembler.newLabel(), assembler.newLabel()};
        assembler.load(Width.WORD, R0, R10, textsSlot);
        assembler.jumpIf(Condition.BITS_SET, R0, SyscallTexts.SECOND_MASK, variants[2]);
        assembler.and(R0, SyscallTexts.FIRST_MASK).jumpIf(Condition.EQUAL, R0, 0, variants[0]);
        for (int texts : new int[] {1, 2, 0}) {
            assembler.bind(variants[texts]);
            begin(texts);
            assembler.load(Width.DOUBLE_WORD, R1, R6, RESULT_OFFSET_IN_CONTEXT);
            assembler.store(Width.DOUBLE_WORD, R7, layout.returnOffset(), R1);
            for (int text = 0; text < texts; text++) {
                text(text);
            }
            submit(texts);
        }
    }

    /** Makes the sample of a call that ends with its thread. Ends with a jump. */
    void atThreadEnd() {
        begin(0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, layout.returnOffset(), 0);
        assembler.loadImmediate64(R1, EventLayout.RETURN_UNAVAILABLE).or(R8, R1);
        submit(0);
    }

    private void begin(int texts) {
        assembler.mov(R8, 0);
        fragments.reserve(layout.sizeBytes(texts), full);
        for (int offset = 0; offset < layout.entrySizeBytes(); offset += Long.BYTES) {
            assembler.load(Width.DOUBLE_WORD, R1, R9, offset).store(Width.DOUBLE_WORD, R7, offset, R1);
        }
        assembler.load(Width.DOUBLE_WORD, R1, R10, timeSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R9, EventLayout.TIMESTAMP_OFFSET);
        assembler.sub(R1, R2).store(Width.DOUBLE_WORD, R7, EventLayout.DURATION_OFFSET, R1);
    }

    private void submit(int texts) {
        new StackCode(assembler, registers).read(layout.stacks(texts));
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, R8);
        fragments.submit();
        assembler.jump(done);
    }

    /** Reads one text: the bits on the stack give the place of its pointer and the index of the argument. */
    private void text(int text) {
        Label unreadable = assembler.newLabel();
        Label there = assembler.newLabel();
        Label done = assembler.newLabel();
        ArgumentSlot slot = layout.textSlot(text);
        assembler.load(Width.WORD, R1, R10, textsSlot);
        assembler.jumpIf(Condition.BITS_SET, R1, SyscallTexts.GONE_ON_SUCCESS, there);
        Label read = assembler.newLabel();
        assembler.jump(read);
        assembler.bind(there);
        assembler.load(Width.DOUBLE_WORD, R2, R6, RESULT_OFFSET_IN_CONTEXT);
        assembler.jumpIf(Condition.EQUAL, R2, 0, unreadable);
        assembler.bind(read);
        assembler.shiftRight(R1, 8 * text).and(R1, 0xff).shiftLeft(R1, 3);
        assembler.jumpIf(Condition.GREATER, R1, layout.entrySizeBytes() - Long.BYTES, unreadable);
        assembler.mov(R2, R9).add(R2, R1).load(Width.DOUBLE_WORD, R3, R2, 0);
        assembler.mov(R1, R7).add(R1, slot.offset() + ArgumentSlot.TEXT_OFFSET);
        assembler.mov(R2, ArgumentSlot.readSizeBytes(slot.type())).call(Helper.PROBE_READ_USER_STR);
        assembler.jumpIf(Condition.SIGNED_GREATER, R0, 0, done);
        assembler.bind(unreadable);
        assembler.load(Width.WORD, R1, R10, textsSlot);
        assembler.shiftRight(R1, 16 + 4 * text).and(R1, 0xf);
        assembler.mov(R2, 1).shiftLeft(R2, R1).or(R8, R2).mov(R0, 0);
        assembler.bind(done);
        assembler.store(Width.WORD, R7, slot.offset(), R0);
    }
}
