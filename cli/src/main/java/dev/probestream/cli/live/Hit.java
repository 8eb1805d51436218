package dev.probestream.cli.live;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Stack;
import org.jspecify.annotations.Nullable;

/** The hit that is printed; one object for all of them. */
public final class Hit {
    /** {@link #uid} of a process that nobody told of. */
    public static final int UNKNOWN_UID = -1;

    public final EventView event = new EventView();
    public String comm = "";
    public int uid;

    @Nullable
    public Stack stack;

    /** CLOCK_MONOTONIC at which it could be printed: of a span its end. */
    public long timeNs() {
        return event.timestampNs() + Math.max(0, event.durationNs());
    }

    public boolean isSpan() {
        return event.kind() == EventKind.SPAN || event.kind() == EventKind.OPEN_SPAN;
    }
}
