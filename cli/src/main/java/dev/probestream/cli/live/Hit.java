package dev.probestream.cli.live;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Stack;
import org.jspecify.annotations.Nullable;

/** The hit to print; one object is reused for all hits. */
public final class Hit {
    /** {@link #uid} of a process without a record. */
    public static final int UNKNOWN_UID = -1;

    public final EventView event = new EventView();
    public String comm = "";
    public int uid;

    @Nullable
    public Stack stack;

    /** CLOCK_MONOTONIC at which the hit could be printed; the end of a span. */
    public long timeNs() {
        return event.timestampNs() + Math.max(0, event.durationNs());
    }

    public boolean isSpan() {
        return event.kind() == EventKind.SPAN || event.kind() == EventKind.OPEN_SPAN;
    }
}
