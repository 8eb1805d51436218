package dev.probestream.sink;

import java.util.EnumSet;
import java.util.Set;

/** Says each wait once, and that it is over only if it was said. */
final class WaitReports {
    private final SinkListener listener;
    private final Set<SinkWait> said = EnumSet.noneOf(SinkWait.class);

    WaitReports(SinkListener listener) {
        this.listener = listener;
    }

    void begin(SinkWait reason, String message) {
        if (said.add(reason)) {
            listener.waiting(reason, message);
        }
    }

    void end(SinkWait reason) {
        if (said.remove(reason)) {
            listener.goesOn(reason);
        }
    }

    boolean isWaiting(SinkWait reason) {
        return said.contains(reason);
    }
}
