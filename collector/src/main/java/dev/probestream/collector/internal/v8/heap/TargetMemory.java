package dev.probestream.collector.internal.v8.heap;

import java.nio.ByteBuffer;

/** The memory of a process, which may change or vanish between two reads. */
public interface TargetMemory {
    /**
     * Fills {@code into} from its position to its limit.
     *
     * @return false if not all of it could be read: it is not mapped, or the process has ended or executed another
     *     program; the contents of {@code into} are then undefined
     */
    boolean read(long address, ByteBuffer into);

    /** Waits for about as long as a scavenge moves young objects, which cannot be read meanwhile. */
    default void awaitMove() {}
}
