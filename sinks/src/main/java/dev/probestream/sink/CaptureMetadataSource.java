package dev.probestream.sink;

import java.io.IOException;

/** What a reader of events needs of the metadata of their captures. */
interface CaptureMetadataSource {
    /** Loads a capture's metadata, unless it is loaded; waits for the broker. */
    void load(long captureId) throws IOException;

    /** The number of events of a capture; -1 if its end has not arrived. */
    long delivered(long captureId) throws IOException;
}
