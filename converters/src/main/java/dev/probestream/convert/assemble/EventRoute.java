package dev.probestream.convert.assemble;

import java.io.IOException;
import dev.probestream.convert.intake.EventBatch;

/** Takes the events of one capture, in the order of their start. */
interface EventRoute {
    /** The batch's current event. */
    void route(EventBatch batch) throws IOException;

    /** There are no more. */
    void finish() throws IOException;
}
