package dev.probestream.convert.assemble;

import dev.probestream.convert.request.Request;
import dev.probestream.schema.EventView;
import java.io.IOException;

/** Takes the requests of recordings, and what belongs to them; see {@link RequestPasses}. */
public interface RequestSink {
    /** A request is over, or what is read of its capture is. Times are the capture's own. */
    void request(long captureId, Request request) throws IOException;

    /** The event belongs to the request of that number. The view is borrowed for the call. */
    void event(long captureId, long request, EventView event) throws IOException;
}
