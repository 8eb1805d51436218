package dev.probestream.convert.intake;

import dev.probestream.schema.EventView;
import dev.probestream.schema.SwitchEvent;
import dev.probestream.schema.WakingEvent;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;

/** When the events of one capture start and end on the trace's clock, and whether they are selected. */
public final class EventExtent {
    private final Window window;
    private final long clockShiftNs;

    private long startNs;
    private long endNs;

    /** @param clockShiftNs added to the events' times to get the trace's; another machine's clock differs */
    public EventExtent(Window window, long clockShiftNs) {
        this.window = window;
        this.clockShiftNs = clockShiftNs;
    }

    /**
     * What must be added to a capture's times to get those of the first one. Two machines agree on CLOCK_REALTIME (as well
     * as NTP keeps it), and on nothing else.
     */
    public static long clockShiftNs(Capture capture, Capture first) {
        if (capture.getBootId().equals(first.getBootId())) {
            return 0;
        }
        return (capture.getRealtimeNs() - capture.getMonotonicNs()) - (first.getRealtimeNs() - first.getMonotonicNs());
    }

    /** Whether the event lies, at least partly, in the window and is of one of its processes. */
    public boolean isSelected(EventView event) {
        boolean isSpan = event.kind() == EventKind.SPAN || event.kind() == EventKind.OPEN_SPAN;
        startNs = event.timestampNs() + clockShiftNs;
        endNs = isSpan ? endOfSpan(event) : startNs;
        return window.overlaps(startNs, endNs) && isOfSelectedProcess(event);
    }

    private long endOfSpan(EventView event) {
        // Of a span that was open when its probe ceased to be watched for a while, it is known how long it took at
        // least.
        if (event.durationNs() < 0) {
            return EventBatch.OPEN;
        }
        long end = startNs + event.durationNs();
        return end < startNs ? EventBatch.OPEN : end;
    }

    private boolean isOfSelectedProcess(EventView event) {
        return switch (event.kind()) {
            case INSTANT, SPAN, OPEN_SPAN, COUNTER -> window.hasProcess(event.pid());
            case SWITCH ->
                window.hasProcess(event.pid())
                        || (SwitchEvent.hasNumbers(event) && window.hasProcess(SwitchEvent.nextPid(event)));
            case WAKING ->
                window.hasProcess(event.pid())
                        || (WakingEvent.hasNumbers(event) && window.hasProcess(WakingEvent.pid(event)));
        };
    }

    /** Of the event asked for last. */
    long startNs() {
        return startNs;
    }

    /** Of the event asked for last; {@link EventBatch#OPEN} if it has not ended. */
    long endNs() {
        return endNs;
    }

    /** Whether the event asked for last is a span without an end. */
    public boolean isOpen() {
        return endNs == EventBatch.OPEN;
    }

    /** Whether the event asked for last reaches over an edge of the window. */
    public boolean isCut() {
        return window.cuts(startNs, endNs);
    }
}
