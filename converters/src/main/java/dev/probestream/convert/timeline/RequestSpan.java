package dev.probestream.convert.timeline;

import dev.probestream.convert.request.Request;
import dev.probestream.convert.request.RequestDetails;
import dev.probestream.convert.request.split.TimeSplit;
import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ArgumentSink;
import java.nio.charset.StandardCharsets;

/** A request in its place on the timeline. */
public final class RequestSpan {
    /** {@link #flowNumber} of a request without a shown event. */
    public static final long NO_FLOW = 0;

    private static final byte[] WHOLE = {};
    private static final byte[] END_NOT_SEEN =
            "its answer could not be distinguished from others".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NOT_WATCHED =
            "was not watched to its end; it is drawn up to where the gap begins".getBytes(StandardCharsets.UTF_8);
    private static final byte[] STILL_OPEN = "had not ended when the capture ended".getBytes(StandardCharsets.UTF_8);

    private final Timeline timeline;
    private final RequestShapes shapes;
    private final Request request;
    private final ThreadTrack thread;
    private final RequestTrack track;
    private final long flowNumber;

    public RequestSpan(Timeline timeline, RequestShapes shapes, Request request, ThreadTrack thread, long flowNumber) {
        this.timeline = timeline;
        this.shapes = shapes;
        this.request = request;
        this.thread = thread;
        this.track = shapes.track(request);
        this.flowNumber = flowNumber;
    }

    /** Of the loop on which it ran. */
    public ThreadTrack thread() {
        return thread;
    }

    /** "GET /path", without the query; "SELECT users": what is asked of one place has one name. */
    public String name() {
        if (!track.isHttp()) {
            RequestDetails details = request.details();
            return details.operation().isEmpty() ? details.protocol() : details.operation();
        }
        int query = request.url().indexOf('?');
        String path = query < 0 ? request.url() : request.url().substring(0, query);
        if (request.method().isEmpty()) {
            String unknown = request.details().protocol().equals("websocket") ? "WebSocket" : "HTTP request";
            return path.isEmpty() ? unknown : path;
        }
        return path.isEmpty() ? request.method() : request.method() + " " + path;
    }

    /** What the track of its process is called on which it stands. */
    public String trackName() {
        return track.title();
    }

    /** Unique among all tracks of its kind in the trace. */
    public long trackNumber() {
        return (long) thread.process().index() << Integer.SIZE | track.number();
    }

    /** Of its category among those of all probes. */
    public int categoryIndex() {
        return track.isOfDatabase() ? shapes.databaseCategoryIndex : shapes.categoryIndex;
    }

    public String category() {
        return track.isOfDatabase() ? RequestShapes.DATABASE_CATEGORY : RequestShapes.CATEGORY;
    }

    /** On the trace's clock. */
    public long startNs() {
        return thread.process().capture().traceNs(request.startNs());
    }

    /**
     * On the trace's clock; of a request that {@link #isOpen} the end of the timeline, of one whose end fell into a gap the beginning of that, of one
     * whose end is not known its beginning.
     */
    public long endNs() {
        CaptureTracks capture = thread.process().capture();
        return switch (request.outcome()) {
            case COMPLETE, UPGRADED, ABORTED -> capture.traceNs(request.endNs());
            case OPEN -> timeline.endNs();
            case UNOBSERVED ->
                Math.min(
                        timeline.endNs(),
                        capture.unwatched().unwatchedFrom(capture.roles().requestCategories(), startNs()));
            case UNKNOWN -> startNs();
        };
    }

    /** Whether it had not ended when the capture, or the part of it that is shown, did. */
    public boolean isOpen() {
        return request.outcome() == Request.Outcome.OPEN;
    }

    /** The flow through everything that belongs to it, unique in the trace; or {@link #NO_FLOW}. */
    public long flowNumber() {
        return flowNumber;
    }

    /** Hands all that is known of the request to {@code sink}; what is unknown is left out. */
    public void showArguments(ArgumentSink sink) {
        sink.signed(shapes.request, request.number());
        number(shapes.parent, request.parentNumber(), request.parentNumber() != 0, sink);
        text(shapes.method, request.method(), sink);
        text(shapes.url, request.url(), sink);
        number(shapes.status, request.status(), request.status() != 0, sink);
        text(shapes.outcome, request.outcome().name(), sink);
        text(shapes.remote, request.remote(), sink);
        text(shapes.local, request.local(), sink);
        switch (request.keepAlive()) {
            case YES -> sink.bool(shapes.keepAlive, true);
            case NO -> sink.bool(shapes.keepAlive, false);
            case UNKNOWN -> {}
        }
        sink.bool(shapes.isTls, request.isTls());
        number(shapes.receivedBytes, request.receivedBytes(), sink);
        number(shapes.sentBytes, request.sentBytes(), sink);
        number(shapes.headNs, request.headNs() - request.startNs(), request.headNs() != -1, sink);
        showSplit(request.split(), sink);
        showDetails(request.details(), sink);
        byte[] why = whyIncomplete();
        if (why.length > 0) {
            sink.text(timeline.incomplete(), why, 0, why.length);
        }
    }

    private byte[] whyIncomplete() {
        return switch (request.outcome()) {
            case COMPLETE, UPGRADED, ABORTED -> WHOLE;
            case OPEN -> STILL_OPEN;
            case UNOBSERVED -> NOT_WATCHED;
            case UNKNOWN -> END_NOT_SEEN;
        };
    }

    private void showSplit(TimeSplit split, ArgumentSink sink) {
        number(shapes.javascriptNs, split.javascriptNs(), sink);
        number(shapes.gcNs, split.gcNs(), sink);
        number(shapes.offCpuNs, split.offCpuNs(), sink);
        number(shapes.loopWaitNs, split.loopWaitNs(), sink);
        number(shapes.poolQueueNs, split.poolQueueNs(), sink);
        number(shapes.poolRunNs, split.poolRunNs(), sink);
        number(shapes.networkNs, split.networkNs(), sink);
        number(shapes.unattributedNs, split.unattributedNs(), sink);
    }

    private void showDetails(RequestDetails details, ArgumentSink sink) {
        if (!details.protocol().equals("http")) {
            text(shapes.protocol, details.protocol(), sink);
        }
        text(shapes.statement, details.statement(), sink);
        number(shapes.rows, details.rows(), sink);
        text(shapes.reply, details.reply(), sink);
        text(shapes.errorCode, details.errorCode(), sink);
        text(shapes.peerName, details.peerName(), sink);
        text(shapes.caller, details.caller(), sink);
        text(shapes.callerPackage, details.callerPackage(), sink);
        number(shapes.waitedNs, details.waitedNs(), sink);
        text(shapes.traceId, details.traceId(), sink);
        text(shapes.spanId, details.spanId(), sink);
    }

    /** -1 = unknown. */
    private static void number(ArgumentShape argument, long value, ArgumentSink sink) {
        number(argument, value, value != -1, sink);
    }

    private static void number(ArgumentShape argument, long value, boolean isKnown, ArgumentSink sink) {
        if (isKnown) {
            sink.signed(argument, value);
        }
    }

    private static void text(ArgumentShape argument, String text, ArgumentSink sink) {
        if (!text.isEmpty()) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            sink.text(argument, utf8, 0, utf8.length);
        }
    }
}
