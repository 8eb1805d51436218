package dev.probestream.collector.internal.program.snippet.histogram;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.histogram.HistogramValue;
import dev.probestream.collector.internal.program.snippet.OperationCode;
import java.util.ArrayList;
import java.util.List;

/** Emits the code that computes a {@link HistogramValue}: R1 = the value. May lose R2 to R5. */
public final class HistogramValueCode {
    private final Assembler assembler;
    private final OperationCode operations;
    private final Leaves leaves;
    /** 8 bytes of stack for each result that waits for its right operand. */
    private final List<Integer> waitingSlots = new ArrayList<>();

    /** Emits the loads of what a hit has. */
    public interface Leaves {
        /** R1 = an argument's bits, of no matter if it could not be read. Loses nothing else. */
        void argument(int index);

        /** R1 = the nanoseconds from entry to return. May lose R2. */
        void duration();
    }

    public HistogramValueCode(Assembler assembler, Leaves leaves) {
        this.assembler = assembler;
        this.operations = new OperationCode(assembler);
        this.leaves = leaves;
    }

    void load(HistogramValue value) {
        load(value, 0);
    }

    private void load(HistogramValue value, int waiting) {
        switch (value.source()) {
            case NONE -> assembler.mov(R1, 0);
            case ARGUMENT -> leaves.argument(value.argument());
            case DURATION -> leaves.duration();
            case NUMBER -> assembler.loadImmediate64(R1, value.number());
            case COMPUTED -> {
                if (waiting == waitingSlots.size()) {
                    waitingSlots.add(assembler.stackSlot(Long.BYTES));
                }
                int slot = waitingSlots.get(waiting);
                load(value.operands().get(0), waiting);
                assembler.store(Width.DOUBLE_WORD, R10, slot, R1);
                load(value.operands().get(1), waiting + 1);
                assembler.mov(R2, R1).load(Width.DOUBLE_WORD, R1, R10, slot);
                operations.operate(value.operation().orElseThrow(), value.isOf64BitsWithoutSign());
            }
        }
    }
}
