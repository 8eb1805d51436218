package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.collector.probe.IntegerOperation;

/** Emits the code of an {@link IntegerOperation}: R1 = R1 operation R2. May lose R2 to R5. */
public final class OperationCode {
    private final Assembler assembler;

    public OperationCode(Assembler assembler) {
        this.assembler = assembler;
    }

    public void operate(IntegerOperation operation, boolean isUnsigned) {
        switch (operation) {
            case ADD -> assembler.add(R1, R2);
            case SUBTRACT -> assembler.sub(R1, R2);
            case MULTIPLY -> assembler.mul(R1, R2);
            case DIVIDE -> divide(isUnsigned);
            case REMAINDER -> {
                // a - a / b * b, which is a where b is 0, as of the kernel's own instruction.
                assembler.mov(R4, R1).mov(R5, R2);
                divide(isUnsigned);
                assembler.mul(R1, R5).sub(R4, R1).mov(R1, R4);
            }
        }
    }

    /** The instruction divides numbers without a sign, and by 0 gives 0; one with a sign came with kernel 6.6. */
    private void divide(boolean isUnsigned) {
        if (isUnsigned) {
            assembler.div(R1, R2);
            return;
        }
        // Negative, if the signs differ.
        assembler.mov(R3, R1).xor(R3, R2);
        makePositive(R1);
        makePositive(R2);
        assembler.div(R1, R2);
        Label done = assembler.newLabel();
        assembler.jumpIf(Condition.SIGNED_GREATER_OR_EQUAL, R3, 0, done);
        assembler.negate(R1);
        assembler.bind(done);
    }

    private void makePositive(Register register) {
        Label isPositive = assembler.newLabel();
        assembler.jumpIf(Condition.SIGNED_GREATER_OR_EQUAL, register, 0, isPositive);
        assembler.negate(register);
        assembler.bind(isPositive);
    }
}
