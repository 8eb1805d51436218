package dev.probestream.collector.internal.program.snippet;

import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.List;

/** How one kind of program gets at the arguments of its hit. */
public interface ArgumentAccess {
    /** Whose memory an address belongs to. */
    enum Memory {
        USER,
        KERNEL
    }

    /** Whether a source has a value at a hit. */
    enum Readability {
        ALWAYS,
        /** The program finds out: {@link #jumpIfUnreadable}. */
        AT_TIMES,
        /** No program can read it: nothing may be emitted that loads it. */
        NEVER
    }

    /**
     * Emits a jump that is taken at hits which are none of the probe's, as soon as it is known that the thread is recorded. The program's
     * context is in R6. May lose R0 to R5.
     */
    default void rejectOthers(Label other) {}

    /**
     * Emits what must be done once before these arguments are loaded, at a place that every load comes behind. May lose
     * R0 to R5.
     */
    default void prepare(List<ArgumentSpec> arguments) {}

    default Readability readability(ArgumentSpec argument) {
        return Readability.ALWAYS;
    }

    /** Emits a jump that is taken when a source that is readable {@link Readability#AT_TIMES} was not. May lose R0. */
    default void jumpIfUnreadable(ArgumentSpec argument, Label unreadable) {
        throw new IllegalArgumentException("argument " + argument.name() + " can always be read");
    }

    /**
     * Emits code that puts the source's value (or, for what lies in place, its address) into a register, before any
     * addend. May lose that register and R0, no other.
     */
    void load(Register destination, ArgumentSpec argument);

    /** Whose memory the argument's value points to. */
    Memory memory(ArgumentSpec argument);
}
