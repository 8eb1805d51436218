package dev.probestream.sink;

import dev.probestream.sink.finish.FaultPoints;

/** Opens a sink that a test can end in the middle of a step, as a crash would. */
public final class SinkDoor {
    private SinkDoor() {}

    public static Sink open(SinkRequest request, SinkListener listener, FaultPoints steps) throws SinkException {
        return Sink.open(request, listener, steps);
    }
}
