package dev.probestream.cli.trace;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Stack;
import org.jspecify.annotations.Nullable;

/** The hit that is printed; one object for all of them. */
final class Hit {
    /** {@link #uid} of a process that nobody told of. */
    static final int UNKNOWN_UID = -1;

    final EventView event = new EventView();
    String comm = "";
    int uid;

    @Nullable
    Stack stack;

    /** CLOCK_MONOTONIC at which it could be printed: of a span its end. */
    long timeNs() {
        return event.timestampNs() + Math.max(0, event.durationNs());
    }

    boolean isSpan() {
        return event.kind() == EventKind.SPAN || event.kind() == EventKind.OPEN_SPAN;
    }
}
