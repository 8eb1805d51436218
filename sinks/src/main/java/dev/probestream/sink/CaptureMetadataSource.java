package dev.probestream.sink;

import java.io.IOException;

/** What a reader of events needs of the metadata of their captures. */
interface CaptureMetadataSource {
    /** Loads a capture's metadata, unless it is loaded; waits for the broker. */
    void load(long captureId) throws IOException;

    /**
     * Loads a capture's metadata after an event of it could not be read because its schema is unknown.
     *
     * @throws dev.probestream.sink.metadata.NewerCaptureException if a newer version wrote the capture
     */
    void refuseIfNewer(long captureId) throws IOException;

    /** The number of events of a capture; -1 if its end has not arrived. */
    long delivered(long captureId) throws IOException;
}
