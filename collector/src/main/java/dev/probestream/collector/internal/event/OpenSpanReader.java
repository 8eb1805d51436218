package dev.probestream.collector.internal.event;

import dev.probestream.bpf.map.BpfMap;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.PhasesLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the spans that are still open when a capture ends, after the programs are detached. Every entry becomes an
 * OPEN_SPAN event or a counted loss.
 *
 * <p>An entry counts as lost (its call never returned: longjmp, an exception) if another call of its thread began later
 * in a frame further up the stack: by then the frame of the first call was gone. The kernel treats its return probes in
 * the same way (kernel/events/uprobes.c, cleanup_return_instances). A call whose thread ended is an open span, too: it
 * lasted as long as the thread.
 */
public final class OpenSpanReader {
    /** Frames farther apart than this are on different stacks (a fiber, a signal handler) and have no order. */
    private static final long MAX_STACK_BYTES = 8L << 20;

    private final EventDecoder decoder;
    private final LossCounter losses;

    /** @param isPhase whether it ends where the next begins, so that it goes on after its function has returned */
    private record Entry(long stackPointer, int tid, ByteBuffer value, boolean isPhase) {
        long timestampNs() {
            return value.getLong(EventLayout.TIMESTAMP_OFFSET);
        }
    }

    /** Creates a reader that passes events to the decoder's consumer and losses to the counter. */
    public OpenSpanReader(EventDecoder decoder, LossCounter losses) {
        this.decoder = decoder;
        this.losses = losses;
    }

    /**
     * Reads all maps of open spans.
     *
     * @param maps by name; borrowed for the call
     * @param nowNs CLOCK_MONOTONIC
     * @return the number of events
     */
    public int read(List<PairingMap> pairingMaps, Map<String, BpfMap> maps, long nowNs) {
        return publish(entries(pairingMaps, maps), nowNs);
    }

    /**
     * Reads these maps, whose programs are detached for a while, and empties them. The events last until that moment: so long
     * at least their calls took.
     *
     * @param untilNs when the windows of the programs were closed, CLOCK_MONOTONIC
     */
    public void take(List<PairingMap> pairingMaps, Map<String, BpfMap> maps, long untilNs) {
        List<Entry> entries = entries(pairingMaps, maps);
        for (Entry entry : entries) {
            entry.value.putLong(EventLayout.DURATION_OFFSET, Math.max(0, untilNs - entry.timestampNs()));
        }
        publish(entries, untilNs);
        for (PairingMap pairing : pairingMaps) {
            clear(map(pairing, maps));
        }
    }

    /** The programs of these categories are detached for a while: statements that they saw begin are open at that moment. */
    public void interrupt(Set<String> categories, long closedNs) {
        decoder.interrupt(categories, closedNs);
    }

    private static void clear(BpfMap map) {
        List<ByteBuffer> keys = new ArrayList<>();
        map.forEach((key, value) -> keys.add(
                ByteBuffer.allocate(key.remaining()).put(key.duplicate()).flip()));
        keys.forEach(map::delete);
    }

    private static BpfMap map(PairingMap pairing, Map<String, BpfMap> maps) {
        BpfMap map = maps.get(pairing.mapName());
        if (map == null) {
            throw new IllegalArgumentException("the map " + pairing.mapName() + " is missing");
        }
        return map;
    }

    private static List<Entry> entries(List<PairingMap> pairingMaps, Map<String, BpfMap> maps) {
        List<Entry> entries = new ArrayList<>();
        for (PairingMap pairing : pairingMaps) {
            BpfMap map = map(pairing, maps);
            if (pairing.mapName().equals(MapNames.PHASES)) {
                map.forEach((key, value) -> addPhases(value, entries));
                continue;
            }
            map.forEach((key, value) -> {
                Entry entry = entry(pairing.entries() == Entries.CALLS, key, value);
                if (pairing.entries() != Entries.KEPT || entry.timestampNs() != 0) {
                    entries.add(entry);
                }
            });
        }
        return entries;
    }

    private int publish(List<Entry> entries, long nowNs) {
        int count = 0;
        for (Entry entry : entries) {
            if (entry.timestampNs() == 0 || isStale(entry, entries)) {
                losses.countUnseenReturn(entry.value.getInt(EventLayout.PROBE_ID_OFFSET), nowNs);
            } else {
                decoder.openSpan(entry.value, 0);
                count++;
            }
        }
        return count;
    }

    /** The spans that a thread had open whose ends are derived: those whose frames were gone have been ended. */
    private static void addPhases(ByteBuffer value, List<Entry> entries) {
        int start = value.position();
        int depth = value.getInt(start + PhasesLayout.DEPTH_OFFSET);
        for (int i = 0; i < depth; i++) {
            ByteBuffer copy =
                    ByteBuffer.allocate(PhasesLayout.SAMPLE_SIZE_BYTES).order(ByteOrder.nativeOrder());
            copy.put(value.duplicate()
                            .position(start + PhasesLayout.sampleOffset(i))
                            .limit(start + PhasesLayout.sampleOffset(i) + PhasesLayout.SAMPLE_SIZE_BYTES))
                    .flip();
            long stackPointer = value.getLong(start + PhasesLayout.slotOffset(i));
            entries.add(new Entry(stackPointer, copy.getInt(EventLayout.TID_OFFSET), copy, true));
        }
    }

    private static Entry entry(boolean hasStackPointer, ByteBuffer key, ByteBuffer value) {
        ByteBuffer copy = ByteBuffer.allocate(value.remaining()).order(ByteOrder.nativeOrder());
        copy.put(value.duplicate()).flip();
        long stackPointer = hasStackPointer ? key.getLong(key.position()) : 0;
        return new Entry(stackPointer, copy.getInt(EventLayout.TID_OFFSET), copy, false);
    }

    private static boolean isStale(Entry entry, List<Entry> entries) {
        return !entry.isPhase
                && entry.stackPointer != 0
                && entries.stream()
                        .anyMatch(other -> other.tid == entry.tid
                                && other.stackPointer - entry.stackPointer > 0
                                && other.stackPointer - entry.stackPointer <= MAX_STACK_BYTES
                                && other.timestampNs() > entry.timestampNs());
    }
}
