package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.probe.FilterOperand;

/** Emits the loads of the fields that every hit has: ids, cpu, duration, the thread's name. */
public final class HitFieldCode {
    private static final int COMM_SIZE_BYTES = 16;

    private final Assembler assembler;
    private final int threadSlot;
    private final int returnTimeSlot;

    private HitFieldCode(Assembler assembler, int threadSlot, int returnTimeSlot) {
        this.assembler = assembler;
        this.threadSlot = threadSlot;
        this.returnTimeSlot = returnTimeSlot;
    }

    /**
     * For a hit that is a moment, or the entry of a span.
     *
     * @param threadSlot where on the stack the running thread's ids stand, tid first
     */
    public static HitFieldCode atEntry(Assembler assembler, int threadSlot) {
        return new HitFieldCode(assembler, threadSlot, 0);
    }

    /**
     * For the return of a span, whose open entry is at R9.
     *
     * @param returnTimeSlot where on the stack the time of the return stands
     */
    static HitFieldCode atReturn(Assembler assembler, int threadSlot, int returnTimeSlot) {
        return new HitFieldCode(assembler, threadSlot, returnTimeSlot);
    }

    /** Loads a number; may lose R0 to R5. */
    void number(Register destination, FilterOperand.Kind kind) {
        switch (kind) {
            case PID -> assembler.load(Width.WORD, destination, R10, threadSlot + Integer.BYTES);
            case TID -> assembler.load(Width.WORD, destination, R10, threadSlot);
            case CPU -> cpu(destination);
            case UID -> assembler.call(Helper.GET_CURRENT_UID_GID).mov32(destination, R0);
            case DURATION -> {
                assembler.load(Width.DOUBLE_WORD, R0, R9, EventLayout.TIMESTAMP_OFFSET);
                assembler.load(Width.DOUBLE_WORD, destination, R10, returnTimeSlot);
                assembler.sub(destination, R0);
            }
            case ARGUMENT, COMM, NUMBER, TEXT, COMPUTED ->
                throw new IllegalArgumentException(kind + " is no number of a hit");
        }
    }

    /** Writes the thread's name and its NUL, 16 bytes with zeros to the end, to the stack; may lose R0 to R5. */
    void comm(int stackOffset) {
        assembler.mov(Register.R1, R10).add(Register.R1, stackOffset).mov(Register.R2, COMM_SIZE_BYTES);
        assembler.call(Helper.GET_CURRENT_COMM);
    }

    private void cpu(Register destination) {
        if (returnTimeSlot != 0) {
            assembler.load(Width.HALF, destination, R9, EventLayout.CPU_OFFSET);
        } else {
            assembler.call(Helper.GET_SMP_PROCESSOR_ID).mov(destination, R0);
        }
    }
}
