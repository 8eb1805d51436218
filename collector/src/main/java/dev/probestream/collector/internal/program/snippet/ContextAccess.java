package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R5;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.v8.ContextWords;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import dev.probestream.collector.probe.ArgumentSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The async context of the thread that hits, in addition to the arguments of a probe. All of it is read at once, onto the
 * stack; what a thread has not is 0, or an empty text. A thread that runs Node.js has an event loop, too, in which streams are
 * found by their descriptors.
 */
final class ContextAccess implements ArgumentAccess {
    /** Of read_async_context(), and of find_served_stream() with what it calls. */
    private static final int CALLED_STACK_BYTES = 224;

    /** Of find_uv_stream(). */
    private static final int STREAM_STACK_BYTES = 96;

    /** Of find_uv_reader() with what it calls. */
    private static final int READER_STACK_BYTES = 224;

    private final Assembler assembler;
    private final ArgumentAccess others;
    private final Optional<ThreadOffsets> offsets;
    private final EnumSet<ContextValue> prepared = EnumSet.noneOf(ContextValue.class);
    private int threadSlot;
    /** {@link ContextWords}; 0 = none are needed yet. */
    private int wordsSlot;

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
        return values.isEmpty() || offsets.isEmpty() ? 0 : ContextWords.SIZE_BYTES + CALLED_STACK_BYTES;
    }

    @Override
    public void rejectOthers(Label other) {
        others.rejectOthers(other);
    }

    @Override
    public void prepare(List<ArgumentSpec> arguments) {
        List<ArgumentSpec> rest = new ArrayList<>(arguments);
        rest.removeIf(argument -> argument.source().kind() == ArgumentSource.Kind.CONTEXT);
        others.prepare(rest);
        Set<ContextValue> asked = values(arguments);
        asked.removeAll(prepared);
        if (asked.isEmpty()) {
            return;
        }
        prepared.addAll(asked);
        if (wordsSlot == 0) {
            wordsSlot = assembler.stackSlot(ContextWords.SIZE_BYTES);
            for (int offset = 0; offset < ContextWords.SIZE_BYTES; offset += Long.BYTES) {
                assembler.storeImmediate(Width.DOUBLE_WORD, R10, wordsSlot + offset, 0);
            }
        }
        offsets.ifPresent(thread -> {
            requireThread(arguments);
            read(thread, asked);
        });
    }

    /** Whether it is known how. */
    boolean findsThreads() {
        return offsets.isPresent();
    }

    /** Puts the stream of the file descriptor that stands on the stack there into R0, or 0. Loses R0 to R5. */
    void findStream(int descriptorSlot) {
        requireThread("a stream");
        identify(offsets.orElseThrow(), R3, R4);
        assembler.load(Width.WORD, R1, R10, descriptorSlot).load(Width.DOUBLE_WORD, R2, R10, threadSlot);
        assembler.callFunction("find_uv_stream", STREAM_STACK_BYTES);
    }

    /**
     * Puts who reads that stream into R0, as find_uv_reader() returns it; negative = it is not known. The stream itself, or 0, is written to the
     * stack. Loses R0 to R5.
     */
    void findReader(int descriptorSlot, int streamSlot) {
        requireThread("a stream");
        identify(offsets.orElseThrow(), R4, R5);
        assembler.mov(R1, R10).add(R1, streamSlot);
        assembler.load(Width.WORD, R2, R10, descriptorSlot).load(Width.DOUBLE_WORD, R3, R10, threadSlot);
        assembler.callFunction("find_uv_reader", READER_STACK_BYTES);
    }

    private void requireThread(Object wanted) {
        if (threadSlot == 0) {
            throw new IllegalStateException("the running thread, of which " + wanted + " is read, is not known");
        }
    }

    /** Puts who the running thread is and its thread pointer into these registers. Loses R0, R1 and what a call loses. */
    private void identify(ThreadOffsets thread, Register who, Register threadPointer) {
        assembler.call(Helper.GET_CURRENT_TASK_BTF);
        assembler.load(Width.DOUBLE_WORD, who, R0, thread.startTime());
        assembler.load(Width.DOUBLE_WORD, R1, R0, thread.execId()).shiftLeft(R1, KnownThreadLayout.EXEC_ID_SHIFT);
        assembler.xor(who, R1).load(Width.DOUBLE_WORD, threadPointer, R0, thread.pointer());
    }

    /** Loses R0 to R5. */
    private void read(ThreadOffsets thread, Set<ContextValue> values) {
        identify(thread, R4, R5);
        assembler.mov(R1, R10).add(R1, wordsSlot).load(Width.DOUBLE_WORD, R2, R10, threadSlot);
        assembler.mov(R3, ContextWords.wanted(values)).callFunction("read_async_context", CALLED_STACK_BYTES);
        if (values.contains(ContextValue.SERVED_STREAM) && thread.areLoopsSupported()) {
            assembler.mov(R1, R10).add(R1, wordsSlot).load(Width.DOUBLE_WORD, R2, R10, threadSlot);
            assembler.callFunction("find_served_stream", CALLED_STACK_BYTES);
        }
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
        ContextValue value = argument.source().contextValue();
        if (!prepared.contains(value)) {
            throw new IllegalStateException("argument " + argument.name() + " was not prepared");
        }
        assembler.load(Width.DOUBLE_WORD, destination, R10, wordsSlot + ContextWords.offset(value));
    }

    @Override
    public Memory memory(ArgumentSpec argument) {
        return argument.source().kind() == ArgumentSource.Kind.CONTEXT ? Memory.USER : others.memory(argument);
    }
}
