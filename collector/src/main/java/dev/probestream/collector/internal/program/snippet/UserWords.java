package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;

/** Emits the code that copies words of V8's heap, and what lies beside it, to the stack. */
final class UserWords {
    private UserWords() {}

    /** Reads what is at the address in R3. May lose R0 to R5. */
    static void read(Assembler assembler, int slot, int sizeBytes, Label unreadable) {
        assembler.mov(R1, R10).add(R1, slot).mov(R2, sizeBytes).call(Helper.PROBE_READ_USER);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unreadable);
    }
}
