package dev.probestream.convert.assemble;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.intake.Intake;
import dev.probestream.convert.intake.Window;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.schema.EventView;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Brings the events of one capture into the order of their start; see {@link Intake} for how. */
final class CaptureAssembly {
    private final CaptureTracks capture;
    private final Window window;
    private final OpenSpans openSpans;
    private final Intake intake;
    private final Route route;
    private final Tally tally;

    /** Of the batch before the last one, those events that start after the horizon; in order. */
    private EventBatch older = new EventBatch();

    /** The last batch, being filled. */
    private EventBatch newer = new EventBatch();

    CaptureAssembly(CaptureTracks capture, Window window, Intake intake, Route route, Tally tally) throws IOException {
        this.capture = capture;
        this.window = window;
        this.openSpans = new OpenSpans(capture.ahead());
        this.intake = intake;
        this.route = route;
        this.tally = tally;
    }

    CaptureTracks capture() {
        return capture;
    }

    void event(EventView event) throws IOException {
        switch (intake.place(event)) {
            case OUTSIDE -> {
                tally.outsideRange++;
                openSpans.passed(event, intake.startNs(), intake.endNs());
            }
            case AHEAD -> {
                // The first pass kept it; it went, or will go, out at its start.
            }
            case BATCH -> {
                newer.add(event, intake.startNs(), intake.endNs());
                if (intake.fillsBatch(event)) {
                    newer.sort();
                    routeUntil(intake.horizonNs());
                    EventBatch empty = older;
                    older = newer;
                    newer = empty;
                    newer.clear();
                }
            }
        }
    }

    void finish() throws IOException {
        newer.sort();
        routeUntil(Long.MAX_VALUE);
        route.finish();
    }

    /** Hands on everything that starts up to then, in order. */
    private void routeUntil(long horizonNs) throws IOException {
        for (EventBatch next = next(); next != null && next.startNs() <= horizonNs; next = next()) {
            if (window.overlaps(next.startNs(), next.endNs())) {
                route.route(next);
            } else {
                tally.outsideRange++; // see OpenSpans
            }
            next.advance();
        }
    }

    /** The one whose current event comes first; null if all are empty. */
    private @Nullable EventBatch next() {
        return earlier(capture.ahead(), earlier(older, newer));
    }

    private static @Nullable EventBatch earlier(EventBatch a, @Nullable EventBatch b) {
        if (!a.hasCurrent()) {
            return b == null || b.hasCurrent() ? b : null;
        }
        return b == null || !b.hasCurrent() || a.comesBefore(b) ? a : b;
    }

    /** Takes the events of one capture, in the order of their start. */
    interface Route {
        /** The batch's current event. */
        void route(EventBatch batch) throws IOException;

        /** There are no more. */
        void finish() throws IOException;
    }
}
