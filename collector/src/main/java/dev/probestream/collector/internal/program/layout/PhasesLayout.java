package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.ProbeSpec;

/**
 * What {@link MapNames#PHASES} holds of a thread: the open spans whose ends are derived, the outermost first:
 * {@code struct thread_phases} of src/main/bpf/phases.bpf.c.
 *
 * <pre>
 * offset  size  field
 *      0     4  depth        how many are open
 *      4     4  unused
 *      8   {@value #SLOT_SIZE_BYTES}  for each of {@value #MAX_DEPTH}:
 *            8  stackPointer when its function was entered
 *            the sample as {@link EventLayout} draws it, durationNs -1, with room for {@value #MAX_NUMBERS} numbers
 * </pre>
 */
public final class PhasesLayout {
    public static final int DEPTH_OFFSET = 0;

    /** A loop in a callback of a loop, each with a phase, a callback and what that calls. */
    public static final int MAX_DEPTH = 8;

    /** How many arguments such a probe may have: all samples have one size, for any may end any other. */
    public static final int MAX_NUMBERS = ProbeSpec.MAX_ARGUMENTS_UNTIL_NEXT;

    public static final int SAMPLE_SIZE_BYTES = EventLayout.HEADER_SIZE_BYTES + MAX_NUMBERS * Long.BYTES;
    public static final int SLOT_SIZE_BYTES = Long.BYTES + SAMPLE_SIZE_BYTES;
    public static final int SIZE_BYTES = Long.BYTES + MAX_DEPTH * SLOT_SIZE_BYTES;

    /** How many threads can have open ones; of more, those that come late are counted as lost. */
    public static final int MAX_THREADS = 4096;

    private PhasesLayout() {}

    /** Where a slot begins, with its stack pointer. */
    public static int slotOffset(int index) {
        return Long.BYTES + index * SLOT_SIZE_BYTES;
    }

    /** Where the sample of a slot begins. */
    public static int sampleOffset(int index) {
        return slotOffset(index) + Long.BYTES;
    }
}
