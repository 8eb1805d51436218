package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R10;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType.Form;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Emits the code that finds the stream of a descriptor, and who reads it, in the running thread's event loop. A program looks for them at most once,
 * where it first needs them: a filter and the arguments ask for the same.
 */
final class LoopStreamCode {
    /** No address of a stream, and no reader. */
    private static final int NOT_LOOKED_FOR = -2;

    private final Assembler assembler;
    private final ContextAccess access;
    private final PointerCode pointers;
    /** By the number of the argument that is the descriptor. */
    private final Map<Integer, Found> found = new HashMap<>();

    /** Where on the stack it stands what was found. */
    private record Found(int streamSlot, int readerSlot) {}

    LoopStreamCode(Assembler assembler, ContextAccess access, PointerCode pointers) {
        this.assembler = assembler;
        this.access = access;
        this.pointers = pointers;
    }

    /** Makes room for what these arguments need, at a place that every use comes behind. */
    void prepare(List<ArgumentSpec> arguments) {
        arguments.stream()
                .filter(argument -> argument.type().form().isOfLoop())
                .filter(LoopStreamCode::isPlain)
                .forEach(argument ->
                        found.computeIfAbsent(argument.source().number(), unused -> new Found(unfound(), unfound())));
    }

    private static boolean isPlain(ArgumentSpec argument) {
        return argument.source().kind() == ArgumentSource.Kind.ARGUMENT
                && argument.addend() == 0
                && !argument.isDereferenced();
    }

    private int unfound() {
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, NOT_LOOKED_FOR);
        return slot;
    }

    /** Stores the value of the argument, or jumps. May lose R0 to R5. */
    void read(ArgumentSpec argument, Register base, int offset, Label unreadable) {
        Found kept = isPlain(argument) ? found.get(argument.source().number()) : null;
        Found to = kept == null ? new Found(unfound(), unfound()) : kept;
        boolean isStream = argument.type().form() == Form.UVSTREAM;
        int slot = isStream ? to.streamSlot() : to.readerSlot();
        Label isFound = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R0, R10, slot).jumpIf(Condition.NOT_EQUAL, R0, NOT_LOOKED_FOR, isFound);
        int descriptor = pointers.descriptor(argument, unreadable);
        if (isStream) {
            access.findStream(descriptor);
        } else {
            access.findReader(descriptor, to.streamSlot());
        }
        assembler.store(Width.DOUBLE_WORD, R10, slot, R0);
        assembler.bind(isFound);
        if (isStream) {
            assembler.jumpIf(Condition.EQUAL, R0, 0, unreadable);
        } else {
            assembler.jumpIf(Condition.SIGNED_LESS, R0, 0, unreadable);
        }
        assembler.store(Width.DOUBLE_WORD, base, offset, R0);
    }
}
