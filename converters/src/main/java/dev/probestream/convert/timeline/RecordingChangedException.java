package dev.probestream.convert.timeline;

import java.io.IOException;

/** The second pass read something that the first one had not: the recording has grown or was replaced meanwhile. */
public final class RecordingChangedException extends IOException {
    private static final long serialVersionUID = 1L;

    RecordingChangedException(String what) {
        super(what + " was not there when the recording was read first");
    }
}
