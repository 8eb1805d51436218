package dev.probestream.collector.internal.program.layout;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where everything lies in the samples of system calls. Behind the header of {@link EventLayout} come
 *
 * <pre>
 *     40        the stretches of pt_regs in which the six arguments lie, one after the other
 *            8  returnValue
 *               0, 1 or 2 texts, each drawn in {@link ArgumentSlot}
 *               the stacks, if asked for
 * </pre>
 *
 * An open entry of {@link MapNames#OPEN_SYSCALLS} is the same up to returnValue. Where calls are summed, the entry stays as
 * long as its thread, timestampNs is 0 while no call is open, and behind it come 4 bytes threadTag ({@link SumLayout}).
 */
public final class SyscallLayout {
    /** Six arguments at most (syscall(2)). */
    public static final int MAX_ARGUMENTS = 6;

    /** Registers that lie no farther apart are fetched together. */
    private static final int MAX_GAP_BYTES = 16;

    private static final ArgumentType TEXT = ArgumentType.string(SyscallTexts.CAPACITY_BYTES);

    private final List<Stretch> stretches = new ArrayList<>();
    private final int[] argumentOffsets = new int[MAX_ARGUMENTS];
    private final StackDepths stackDepths;
    private final int returnOffset;

    /** A stretch of pt_regs and where in the sample it goes. */
    public record Stretch(int registersOffset, int sizeBytes, int sampleOffset) {}

    /** The layout for a machine. */
    public SyscallLayout(RegisterTable registers, StackDepths stackDepths) {
        this.stackDepths = stackDepths;
        int[] sources = new int[MAX_ARGUMENTS];
        for (int i = 0; i < MAX_ARGUMENTS; i++) {
            sources[i] = registers.systemCallArgumentOffset(i + 1);
        }
        int[] sorted = sources.clone();
        Arrays.sort(sorted);
        int offset = EventLayout.HEADER_SIZE_BYTES;
        int start = sorted[0];
        for (int i = 0; i < MAX_ARGUMENTS; i++) {
            int end = sorted[i] + Long.BYTES;
            boolean isLast = i == MAX_ARGUMENTS - 1;
            if (isLast || sorted[i + 1] - end > MAX_GAP_BYTES) {
                stretches.add(new Stretch(start, end - start, offset));
                offset += end - start;
                start = isLast ? start : sorted[i + 1];
            }
        }
        for (int i = 0; i < MAX_ARGUMENTS; i++) {
            argumentOffsets[i] = sampleOffset(sources[i]);
        }
        this.returnOffset = offset;
    }

    private int sampleOffset(int registersOffset) {
        return stretches.stream()
                .filter(stretch -> registersOffset >= stretch.registersOffset
                        && registersOffset < stretch.registersOffset + stretch.sizeBytes)
                .mapToInt(stretch -> stretch.sampleOffset + registersOffset - stretch.registersOffset)
                .findFirst()
                .orElseThrow();
    }

    /** Where argument {@code index}, counted from 0, lies in a sample and in an open entry. */
    public int argumentOffset(int index) {
        return argumentOffsets[index];
    }

    /** The layout of the samples of one system call. */
    public EventLayout layout(List<ArgumentType> types, SyscallTexts texts) {
        List<ArgumentSlot> slots = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            int text = i == texts.first() ? 0 : i == texts.second() ? 1 : -1;
            slots.add(text < 0 ? new ArgumentSlot(types.get(i), argumentOffsets[i], false) : textSlot(text));
        }
        return new EventLayout(
                EventKind.SPAN, slots, returnOffset, returnOffset, stacks(texts.count()), sizeBytes(texts.count()));
    }

    public ArgumentSlot textSlot(int index) {
        int offset = returnOffset + Long.BYTES + index * ArgumentSlot.sizeBytes(TEXT);
        return new ArgumentSlot(TEXT, offset, true);
    }

    public StackRoom stacks(int textCount) {
        return new StackRoom(returnOffset + Long.BYTES + textCount * ArgumentSlot.sizeBytes(TEXT), stackDepths);
    }

    public int sizeBytes(int textCount) {
        StackRoom stacks = stacks(textCount);
        return stacks.offset() + stacks.sizeBytes();
    }

    public List<Stretch> stretches() {
        return stretches;
    }

    public int returnOffset() {
        return returnOffset;
    }

    /** Size of an open entry. */
    public int entrySizeBytes() {
        return returnOffset;
    }

    public int threadTagOffset() {
        return returnOffset;
    }

    /** Size of the entry of a thread whose calls are summed. */
    public int threadSizeBytes() {
        return returnOffset + Long.BYTES;
    }
}
