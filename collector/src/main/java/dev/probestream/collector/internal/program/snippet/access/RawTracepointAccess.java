package dev.probestream.collector.internal.program.snippet.access;

import static dev.probestream.bpf.asm.Register.R6;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.probe.ArgumentSpec;

/** The arguments of a raw tracepoint: an array of u64; what they point to is the kernel's. */
public final class RawTracepointAccess implements ArgumentAccess {
    private final Assembler assembler;

    public RawTracepointAccess(Assembler assembler) {
        this.assembler = assembler;
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        assembler.load(Width.DOUBLE_WORD, destination, R6, (argument.source().number() - 1) * Long.BYTES);
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.KERNEL;
    }
}
