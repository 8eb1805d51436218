package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.timeline.ProcessTracks;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import java.io.IOException;
import java.util.Arrays;

/**
 * The spans of a capture that never ended, followed while the events before the time range are read. A closed span in which one
 * of them started shows that its frame has gone: it must not be drawn into a time range that begins later. (Inside the range
 * the nesting shows the same.)
 */
final class OpenSpans {
    private final EventBatch ahead;

    /** By thread, see {@link ProcessTracks#key}: slots in the batch. */
    private final LongMap<int[]> slots = new LongMap<>();

    /** @param ahead sorted; is left at its first event */
    OpenSpans(EventBatch ahead) throws IOException {
        this.ahead = ahead;
        EventView view = new EventView();
        for (; ahead.hasCurrent(); ahead.advance()) {
            if (ahead.endNs() == EventBatch.OPEN) {
                ahead.show(view);
                long thread = ProcessTracks.key(view.pid(), view.tid());
                int[] others = slots.get(thread);
                int[] all = others == null ? new int[1] : Arrays.copyOf(others, others.length + 1);
                all[all.length - 1] = ahead.slot();
                slots.put(thread, all);
            }
        }
        ahead.rewind();
    }

    /** An event before the time range; its times are on the trace's clock. */
    void passed(EventView event, long startNs, long endNs) {
        if (slots.size() == 0 || event.kind() != EventKind.SPAN) {
            return;
        }
        int[] ofThread = slots.get(ProcessTracks.key(event.pid(), event.tid()));
        if (ofThread != null) {
            for (int slot : ofThread) {
                if (startNs < ahead.startNs(slot) && ahead.startNs(slot) <= endNs) {
                    ahead.setEnd(slot, Math.min(ahead.endNs(slot), endNs));
                }
            }
        }
    }
}
