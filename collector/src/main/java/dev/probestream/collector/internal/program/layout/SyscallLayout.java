package dev.probestream.collector.internal.program.layout;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where everything lies in the samples of system calls. Behind the header of {@link EventLayout} come
 *
 * <pre>
 *     40    64  registers    those of pt_regs from the first on in which an argument lies
 *    104     8  returnValue
 *               0, 1 or 2 texts, each drawn in {@link ArgumentSlot}
 *               the stacks, if asked for
 * </pre>
 *
 * An open entry of {@link MapNames#OPEN_SYSCALLS} is the same up to returnValue. Where calls are summed, the entry stays as
 * long as its thread, timestampNs is 0 while no call is open, and behind it come
 *
 * <pre>
 *    104     4  threadTag    as in {@link SumLayout}
 * </pre>
 *
 * A function in C gives a program the end of a call that becomes a sample, on the stack of the program:
 *
 * <pre>
 *      0     8  durationNs
 *      8     8  returnValue
 *     16     8  unavailable
 *     24     4  texts        {@link SyscallTexts}
 *     28     4  probeId
 * </pre>
 */
public final class SyscallLayout {
    /** Six arguments at most (syscall(2)). */
    public static final int MAX_ARGUMENTS = 6;

    public static final int REGISTERS_SIZE_BYTES = 64;
    public static final int RETURN_OFFSET = EventLayout.HEADER_SIZE_BYTES + REGISTERS_SIZE_BYTES;
    public static final int TEXTS_OFFSET = RETURN_OFFSET + Long.BYTES;
    public static final int MAX_TEXTS = 2;

    /** Size of an open entry. */
    public static final int ENTRY_SIZE_BYTES = RETURN_OFFSET;

    public static final int THREAD_TAG_OFFSET = ENTRY_SIZE_BYTES;
    /** Size of the entry of a thread whose calls are summed. */
    public static final int THREAD_SIZE_BYTES = ENTRY_SIZE_BYTES + Long.BYTES;

    public static final int END_TEXTS_OFFSET = 24;
    public static final int END_PROBE_ID_OFFSET = 28;
    public static final int END_SIZE_BYTES = 32;

    private static final ArgumentType TEXT = ArgumentType.string(SyscallTexts.CAPACITY_BYTES);

    private final RegisterTable registers;
    private final StackDepths stackDepths;
    private final int firstRegisterOffset;

    /** The layout for a machine. */
    public SyscallLayout(RegisterTable registers, StackDepths stackDepths) {
        this.registers = registers;
        this.stackDepths = stackDepths;
        this.firstRegisterOffset = IntStream.rangeClosed(1, MAX_ARGUMENTS)
                .map(registers::systemCallArgumentOffset)
                .min()
                .orElseThrow();
    }

    /** Where in pt_regs the registers begin that a sample has. */
    public int firstRegisterOffset() {
        return firstRegisterOffset;
    }

    /** Where argument {@code index}, counted from 0, lies in a sample and in an open entry. */
    public int argumentOffset(int index) {
        int offset = registers.systemCallArgumentOffset(index + 1) - firstRegisterOffset;
        if (offset > REGISTERS_SIZE_BYTES - Long.BYTES) {
            throw new IllegalArgumentException(
                    "argument " + index + " of system calls is " + offset + " bytes behind another");
        }
        return EventLayout.HEADER_SIZE_BYTES + offset;
    }

    /** The layout of the samples of one system call. */
    public EventLayout layout(List<ArgumentType> types, SyscallTexts texts) {
        List<ArgumentSlot> slots = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            int text = i == texts.first() ? 0 : i == texts.second() ? 1 : -1;
            slots.add(text < 0 ? new ArgumentSlot(types.get(i), argumentOffset(i), false) : textSlot(text));
        }
        return new EventLayout(
                EventKind.SPAN, slots, RETURN_OFFSET, RETURN_OFFSET, stacks(texts.count()), sizeBytes(texts.count()));
    }

    public ArgumentSlot textSlot(int index) {
        int offset = TEXTS_OFFSET + index * ArgumentSlot.sizeBytes(TEXT);
        return new ArgumentSlot(TEXT, offset, true);
    }

    public StackRoom stacks(int textCount) {
        return new StackRoom(TEXTS_OFFSET + textCount * ArgumentSlot.sizeBytes(TEXT), stackDepths);
    }

    public int sizeBytes(int textCount) {
        StackRoom stacks = stacks(textCount);
        return stacks.offset() + stacks.sizeBytes();
    }
}
