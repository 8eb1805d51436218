package dev.probestream.convert.request;

import java.io.IOException;

/** Takes what the {@link RequestAssembler} finds. */
public interface RequestHandler {
    /**
     * A request is over, or the capture is. Called once for each, when it is known: that an answer has ended shows only in
     * the next request of the connection or in its close, so the calls come neither in the order of the ends nor of the
     * beginnings.
     */
    void request(Request request) throws IOException;
}
