package dev.probestream.sink;

import java.util.EnumSet;
import java.util.Set;

/** Reports the begin of each wait once, and its end only if the begin was reported. */
final class WaitReports {
    private final SinkListener listener;
    private final Set<SinkWait> reported = EnumSet.noneOf(SinkWait.class);

    WaitReports(SinkListener listener) {
        this.listener = listener;
    }

    void begin(SinkWait reason, String message) {
        if (reported.add(reason)) {
            listener.waiting(reason, message);
        }
    }

    void end(SinkWait reason) {
        if (reported.remove(reason)) {
            listener.resumed(reason);
        }
    }

    boolean isWaiting(SinkWait reason) {
        return reported.contains(reason);
    }
}
