package dev.probestream.collector.internal.program.layout.histogram;

import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.schema.record.EventKind;
import java.util.List;
import java.util.Optional;

/**
 * Where the stack of a histogram's key lies. In the key it is a hash of 128 bits. Its addresses are in a sample, which a
 * program builds in a room of its CPU and sends through the ring when the stack is hit for the first time.
 *
 * <pre>
 * key:     keyOffset  8  firstHash
 *               + 8   8  secondHash
 * sample:       0     {@link EventLayout}, without arguments; in place of the duration and of unavailable:
 *              24  8  firstHash
 *              32  8  secondHash
 * room:         0     the sample
 *       sizeBytes  8  busy: 1 while a program uses the room
 * </pre>
 *
 * The hash covers what distinguishes stacks: of the user stack the process, how many programs it executed, the addresses up
 * to the first that cannot be one, and of JavaScript frames what the kernel reads of them; and the kernel's addresses.
 *
 * @param mapName of the histogram
 * @param keyOffset from the start of the key, a multiple of 8
 * @param sample of a new stack
 */
public record HistogramStackLayout(String mapName, int keyOffset, EventLayout sample) {
    public static final int KEY_SIZE_BYTES = 16;

    public static final int FIRST_HASH_OFFSET = EventLayout.DURATION_OFFSET;
    public static final int SECOND_HASH_OFFSET = EventLayout.UNAVAILABLE_OFFSET;

    /**
     * So many programs can build a stack on one CPU at the same time. One more is counted as a loss. A program takes a few
     * microseconds, in which it would have to be preempted by another at each level.
     */
    public static final int ROOMS = 4;

    /** The layout for stacks of these depths. */
    public static HistogramStackLayout of(String mapName, int keyOffset, StackDepths depths) {
        return new HistogramStackLayout(
                mapName, keyOffset, EventLayout.of(EventKind.INSTANT, List.of(), Optional.empty(), depths));
    }

    /** Hash: the two hashes of a stack -> u32, for the stacks that were sent. */
    public String sentMap() {
        return mapName + "_sent";
    }

    /** Per-CPU array of {@link #ROOMS}. */
    public String roomMap() {
        return mapName + "_room";
    }

    public int busyOffset() {
        return sample.sizeBytes();
    }

    public int roomSizeBytes() {
        return sample.sizeBytes() + Long.BYTES;
    }
}
