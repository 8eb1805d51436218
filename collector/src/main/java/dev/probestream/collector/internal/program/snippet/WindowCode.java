package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.MapNames;
import java.util.List;

/**
 * The code that lets a hit pass while the window of its category is open. The probes of a capture are attached and detached one
 * after the other, which can take seconds; this makes all of them count from one moment to another. It costs a load from
 * memory that no program writes and a branch.
 */
public final class WindowCode {
    private WindowCode() {}

    /**
     * The program, preceded by this code, which leaves all registers but R0 as they are.
     *
     * @param windowOffset of the window in the value of {@link MapNames#WINDOW}
     */
    public static List<Instruction> before(List<Instruction> program, int windowOffset) {
        Assembler assembler = new Assembler();
        Label open = assembler.newLabel();
        assembler.loadMapValue(R0, MapNames.WINDOW).load(Width.WORD, R0, R0, windowOffset);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, open);
        assembler.mov(R0, 0).exit();
        assembler.bind(open);
        return assembler.append(program).assemble();
    }

    /** Jumps while the window is closed; loses R0. */
    public static void skipUnlessOpen(Assembler assembler, Label closed) {
        assembler.loadMapValue(R0, MapNames.WINDOW).load(Width.WORD, R0, R0, 0);
        assembler.jumpIf(Condition.EQUAL, R0, 0, closed);
    }
}
