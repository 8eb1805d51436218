package dev.probestream.collector.internal.program.snippet;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.LossIndex;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.schema.record.LossReason;
import java.util.List;

/** Which probe was hit: by a constant, or by the cookie of the link when it serves many. */
public final class ProbeNumber {
    private final Assembler assembler;
    private final int constant;
    private final int stackSlot;

    private ProbeNumber(Assembler assembler, int constant, int stackSlot) {
        this.assembler = assembler;
        this.constant = constant;
        this.stackSlot = stackSlot;
    }

    public static ProbeNumber constant(Assembler assembler, int probeId) {
        return new ProbeNumber(assembler, probeId, 0);
    }

    /** A number the program itself has put on the stack as a 32-bit word. */
    public static ProbeNumber inStackSlot(Assembler assembler, int stackSlot) {
        return new ProbeNumber(assembler, -1, stackSlot);
    }

    /** The number of the only probe, or the link's cookie, fetched at this place of the program. */
    public static ProbeNumber ofProbes(Assembler assembler, List<Integer> probeIds, Register context) {
        if (probeIds.size() == 1) {
            return constant(assembler, probeIds.get(0));
        }
        int slot = assembler.stackSlot(Integer.BYTES);
        assembler.mov(Register.R1, context).call(Helper.GET_ATTACH_COOKIE);
        assembler.store(Width.WORD, Register.R10, slot, Register.R0);
        return new ProbeNumber(assembler, -1, slot);
    }

    /** Puts the number into a register. */
    public void load(Register destination) {
        if (constant >= 0) {
            assembler.mov(destination, constant);
        } else {
            assembler.load(Width.WORD, destination, Register.R10, stackSlot);
        }
    }

    /** Writes the number as a 32-bit word; may lose R1. */
    public void store(Register base, int offset) {
        if (constant >= 0) {
            assembler.storeImmediate(Width.WORD, base, offset, constant);
        } else {
            assembler.load(Width.WORD, Register.R1, Register.R10, stackSlot);
            assembler.store(Width.WORD, base, offset, Register.R1);
        }
    }

    /** Writes the index of its count in {@link MapNames#LOSSES} as a 32-bit word; may lose R1. */
    void storeLossIndex(LossReason reason, int stackOffset) {
        if (constant >= 0) {
            assembler.storeImmediate(Width.WORD, Register.R10, stackOffset, LossIndex.of(constant, reason));
        } else {
            assembler.load(Width.WORD, Register.R1, Register.R10, stackSlot);
            assembler.mul(Register.R1, LossIndex.perProbe()).add(Register.R1, LossIndex.of(0, reason));
            assembler.store(Width.WORD, Register.R10, stackOffset, Register.R1);
        }
    }
}
