package dev.probestream.sink.metadata;

import dev.probestream.schema.format.FormatStamp;
import java.io.IOException;

/**
 * A newer version has written a capture. The sink stops before its events: if it skipped them, its position would move on,
 * and a newer sink would never read them.
 */
public final class NewerCaptureException extends IOException {
    private static final long serialVersionUID = 1L;

    NewerCaptureException(String topic, long captureId, FormatStamp stamp) {
        super("cannot read capture " + captureId + " in " + topic + ": " + stamp.refusal()
                + "; the sink then continues here, with nothing lost or repeated");
    }
}
