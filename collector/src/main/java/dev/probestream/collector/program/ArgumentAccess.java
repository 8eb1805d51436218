package dev.probestream.collector.program;

import dev.probestream.bpf.asm.Register;
import dev.probestream.collector.probe.ArgumentSpec;

/** How one kind of program gets at the arguments of its hit. */
interface ArgumentAccess {
    /** Whose memory an address belongs to. */
    enum Memory {
        USER,
        KERNEL
    }

    /**
     * Emits code that puts the source's value (or, for what lies in place, its address) into a register, before any
     * addend. May lose that register and R0, no other.
     */
    void load(Register destination, ArgumentSpec argument);

    /** Whose memory the argument's value points to. */
    Memory memory(ArgumentSpec argument);
}
