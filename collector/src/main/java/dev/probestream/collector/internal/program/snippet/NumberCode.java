package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.FilterOperand;
import java.util.ArrayList;
import java.util.List;

/** Emits the code that puts the number of an operand on the stack: of a value of the hit, or computed of others. */
final class NumberCode {
    private final Assembler assembler;
    private final ArgumentCode arguments;
    private final HitFieldCode hit;
    private final OperationCode operations;
    /** 8 bytes of stack for each result that waits for its right operand. */
    private final List<Integer> waitingSlots = new ArrayList<>();

    NumberCode(Assembler assembler, ArgumentCode arguments, HitFieldCode hit) {
        this.assembler = assembler;
        this.arguments = arguments;
        this.hit = hit;
        this.operations = new OperationCode(assembler);
    }

    /** Writes the number, in 64 bits, to the stack; jumps when it cannot be read. May lose R0 to R5. */
    void into(FilterOperand operand, int slot, Label unreadable) {
        into(operand, slot, 0, unreadable);
    }

    private void into(FilterOperand operand, int slot, int waiting, Label unreadable) {
        switch (operand.kind()) {
            case ARGUMENT -> arguments.into(operand.argument().orElseThrow(), R10, slot, unreadable);
            case NUMBER -> {
                assembler.loadImmediate64(R1, operand.number());
                assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
            }
            case PID, TID, CPU, UID, DURATION -> {
                hit.number(R1, operand.kind());
                assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
            }
            case COMPUTED -> computed(operand, slot, waiting, unreadable);
            case COMM, TEXT -> throw new IllegalArgumentException(operand.kind() + " is no number");
        }
    }

    private void computed(FilterOperand operand, int slot, int waiting, Label unreadable) {
        FilterOperand.Computation computation = operand.computation().orElseThrow();
        if (waiting == waitingSlots.size()) {
            waitingSlots.add(assembler.stackSlot(Long.BYTES));
        }
        int rightSlot = waitingSlots.get(waiting);
        into(computation.left(), slot, waiting, unreadable);
        into(computation.right(), rightSlot, waiting + 1, unreadable);
        assembler.load(Width.DOUBLE_WORD, R1, R10, slot);
        assembler.load(Width.DOUBLE_WORD, R2, R10, rightSlot);
        operations.operate(computation.operation(), operand.isWithoutSign());
        assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
    }
}
