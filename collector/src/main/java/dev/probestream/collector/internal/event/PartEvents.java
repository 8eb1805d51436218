package dev.probestream.collector.internal.event;

import dev.probestream.collector.internal.program.PlannedProbe;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * Makes the events of a part whose hits are none themselves. They are of a probe of the collector's own, which no program is attached for
 * and which is described before the first of them. Used only by the thread that reads the ring.
 */
interface PartEvents {
    /** The probe that its events are of. */
    OwnProbe probe();

    /** Before the first sample: the id of that probe. */
    void begin(int eventProbeId);

    /** Whether the hits of this probe are of the part; from now on its samples are taken. */
    boolean add(PlannedProbe probe);

    /**
     * Takes a sample of such a probe.
     *
     * @param buffer read with absolute gets
     * @param isOpen whether it is an entry of a map of open spans
     */
    void sample(int probeId, ByteBuffer buffer, int offset, int lengthBytes, boolean isOpen);

    /** Whether hits of its probes are counted in the kernel, and any has shown. */
    default boolean hasUnseenHits() {
        return false;
    }

    /** The probes record nothing from here on: what has no end yet is open. */
    default void interrupt() {}

    /** The same if the probes are of one of these categories, whose windows were closed at that moment. */
    default void interrupt(Set<String> categories, long closedNs) {}
}
