package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R10;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The async context of the thread that hits, in addition to the arguments of a probe. All of it is read at once, onto the
 * stack; what a thread has not is 0, or an empty text.
 */
final class ContextAccess implements ArgumentAccess {
    private final Assembler assembler;
    private final ArgumentAccess others;
    private final Optional<ThreadOffsets> offsets;
    private final Map<ContextValue, Integer> slots = new EnumMap<>(ContextValue.class);
    private int threadSlot;

    /**
     * @param others has all other arguments
     * @param offsets without them no thread has a context
     */
    ContextAccess(Assembler assembler, ArgumentAccess others, Optional<ThreadOffsets> offsets) {
        this.assembler = assembler;
        this.others = others;
        this.offsets = offsets;
    }

    /** The ids of the running thread stand on the stack there, tid first; comes before {@link #prepare}. */
    void ofThread(int itsSlot) {
        threadSlot = itsSlot;
    }

    /** What of the program's stack {@link #prepare} takes for these arguments. */
    int stackBytes(Collection<ArgumentSpec> arguments) {
        Set<ContextValue> values = values(arguments);
        return values.isEmpty() || offsets.isEmpty() ? 0 : ContextCode.stackBytes(values) + values.size() * Long.BYTES;
    }

    @Override
    public void prepare(List<ArgumentSpec> arguments) {
        List<ArgumentSpec> rest = new ArrayList<>(arguments);
        rest.removeIf(argument -> argument.source().kind() == ArgumentSource.Kind.CONTEXT);
        others.prepare(rest);
        Set<ContextValue> asked = values(arguments);
        asked.removeAll(slots.keySet());
        if (asked.isEmpty()) {
            return;
        }
        asked.forEach(value -> {
            slots.put(value, assembler.stackSlot(Long.BYTES));
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, slots.get(value), 0);
        });
        offsets.ifPresent(thread -> {
            if (threadSlot == 0) {
                throw new IllegalStateException("the running thread of " + arguments + " is not known");
            }
            new ContextCode(assembler, thread, threadSlot, slots, asked).read();
        });
    }

    private static Set<ContextValue> values(Collection<ArgumentSpec> arguments) {
        Set<ContextValue> values = EnumSet.noneOf(ContextValue.class);
        arguments.stream()
                .map(ArgumentSpec::source)
                .filter(source -> source.kind() == ArgumentSource.Kind.CONTEXT)
                .forEach(source -> values.add(source.contextValue()));
        return values;
    }

    @Override
    public Readability readability(ArgumentSpec argument) {
        if (argument.source().kind() != ArgumentSource.Kind.CONTEXT) {
            return others.readability(argument);
        }
        return argument.source().contextValue().isText() ? Readability.AT_TIMES : Readability.ALWAYS;
    }

    @Override
    public void jumpIfUnreadable(ArgumentSpec argument, Label unreadable) {
        if (argument.source().kind() != ArgumentSource.Kind.CONTEXT) {
            others.jumpIfUnreadable(argument, unreadable);
            return;
        }
        load(R0, argument);
        assembler.jumpIf(Condition.EQUAL, R0, 0, unreadable);
    }

    @Override
    public void load(Register destination, ArgumentSpec argument) {
        if (argument.source().kind() != ArgumentSource.Kind.CONTEXT) {
            others.load(destination, argument);
            return;
        }
        Integer slot = slots.get(argument.source().contextValue());
        if (slot == null) {
            throw new IllegalStateException("argument " + argument.name() + " was not prepared");
        }
        assembler.load(Width.DOUBLE_WORD, destination, R10, slot);
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return argument.source().kind() == ArgumentSource.Kind.CONTEXT ? Memory.USER : others.memory(argument);
    }
}
