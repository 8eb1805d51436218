package dev.probestream.collector.internal.program.snippet.access;

import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.snippet.ArgumentAccess;
import dev.probestream.collector.internal.program.snippet.SpanEntry;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;

/**
 * The arguments of a span when its function or system call returns: what it was called with is in the open entry at R9.
 */
public final class SavedAccess implements ArgumentAccess {
    private final Assembler assembler;
    private final SpanEntry entry;
    private final ArgumentAccess atReturn;

    public SavedAccess(Assembler assembler, SpanEntry entry, ArgumentAccess atReturn) {
        this.assembler = assembler;
        this.entry = entry;
        this.atReturn = atReturn;
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        if (argument.source().kind() == ArgumentSource.Kind.ARGUMENT) {
            assembler.load(
                    Width.DOUBLE_WORD,
                    destination,
                    R9,
                    entry.savedOffset(argument.source().number()));
        } else {
            atReturn.load(destination, argument);
        }
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return Memory.USER;
    }
}
