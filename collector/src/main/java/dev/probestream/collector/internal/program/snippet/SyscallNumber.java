package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.asm.Width;

/**
 * The system call whose returns a program at the raw tracepoint sys_exit(pt_regs *, long result) looks at.
 *
 * @param number of the call on this machine
 */
public record SyscallNumber(RegisterTable registers, int number) {
    /** Jumps there at the return of another call. The program's context is in R6. Loses R0 to R5. */
    public void rejectOthers(Assembler assembler, Label other) {
        int slot = assembler.stackSlot(Integer.BYTES);
        assembler.mov(R1, R10).add(R1, slot).mov(R2, Integer.BYTES);
        assembler.load(Width.DOUBLE_WORD, R3, R6, 0).add(R3, registers.systemCallNumberOffset());
        assembler.call(Helper.PROBE_READ_KERNEL);
        assembler.load(Width.WORD, R1, R10, slot).jumpIf(Condition.NOT_EQUAL, R1, number, other);
    }
}
