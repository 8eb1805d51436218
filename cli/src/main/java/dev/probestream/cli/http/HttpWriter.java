package dev.probestream.cli.http;

import dev.probestream.cli.live.LineBuffer;
import dev.probestream.convert.request.Request;

/** Makes the line of one request. */
interface HttpWriter {
    /** What stands before the first line. */
    void header(LineBuffer out);

    /**
     * Appends the line.
     *
     * @param comm the name of its thread
     * @param durationNs how long it took, or has taken so far
     */
    void write(Request request, String comm, long durationNs, LineBuffer out);
}
