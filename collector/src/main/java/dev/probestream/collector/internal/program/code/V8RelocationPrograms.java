package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.snippet.Fragments;

/**
 * Writes the programs that count in {@link V8ProcessLayout} when V8 moves objects of a process. They run at the entry of
 * functions of V8. A thread that has begun is remembered, so that an end without a beginning, which was before the
 * programs were attached, does not count as one.
 */
public final class V8RelocationPrograms {
    private static final int BPF_NOEXIST = 1; // linux/bpf.h

    private final TargetFilter filter;
    private final AttachType attachType;

    /**
     * @param filter only its pid namespace counts
     * @param attachType of the programs
     */
    public V8RelocationPrograms(TargetFilter filter, AttachType attachType) {
        this.filter = filter;
        this.attachType = attachType;
    }

    /** The running thread begins to move objects. */
    public ProgramSpec begin() {
        return program("v8_begin", (assembler, thread) -> {
            Label count = assembler.newLabel();
            int one = assembler.stackSlot(Integer.BYTES);
            assembler.mov(R6, V8ProcessLayout.RELOCATION_STEP);
            assembler.storeImmediate(Width.WORD, R10, one, 1);
            assembler.loadMap(R1, MapNames.V8_MOVING).mov(R2, R10).add(R2, thread);
            assembler.mov(R3, R10).add(R3, one).mov(R4, BPF_NOEXIST).call(Helper.MAP_UPDATE_ELEM);
            assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, count);
            assembler.add(R6, 1);
            assembler.bind(count);
        });
    }

    /** The running thread has moved objects. */
    public ProgramSpec end() {
        return program("v8_end", (assembler, thread) -> {
            Label count = assembler.newLabel();
            assembler.mov(R6, V8ProcessLayout.RELOCATION_STEP);
            assembler.loadMap(R1, MapNames.V8_MOVING).mov(R2, R10).add(R2, thread);
            assembler.call(Helper.MAP_DELETE_ELEM);
            assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, count);
            assembler.sub(R6, 1);
            assembler.bind(count);
        });
    }

    /** A heap is given back: its memory may become that of another. */
    public ProgramSpec teardown() {
        return program("v8_teardown", (assembler, thread) -> assembler.mov(R6, V8ProcessLayout.RELOCATION_STEP));
    }

    @FunctionalInterface
    private interface Step {
        /** R6 = what is added to the counter; {@code thread} is where the running thread's ids are on the stack. */
        void write(Assembler assembler, int thread);
    }

    private ProgramSpec program(String name, Step step) {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        Label unknown = assembler.newLabel();
        int thread = fragments.currentThread();
        step.write(assembler, thread);
        fragments.lookup(MapNames.V8_PROCESSES, thread + Integer.BYTES);
        assembler.jumpIf(Condition.EQUAL, R0, 0, unknown);
        assembler.atomicAdd(Width.DOUBLE_WORD, R0, V8ProcessLayout.RELOCATIONS_OFFSET, R6);
        assembler.bind(unknown);
        fragments.exit();
        return new ProgramSpec(name, ProgramType.KPROBE, attachType, 0, 0, assembler.assemble());
    }
}
