package dev.probestream.schema.recording;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.io.IOException;

/**
 * Takes the records of a recording in the order in which they are in the file. Each method is called on the reading
 * thread; a method that is not overridden lets its records pass. What a method throws ends the reading and reaches the
 * caller of {@link RecordingReader#read} unchanged.
 */
public interface RecordingHandler {
    /** The view is borrowed: it is valid only inside the call. */
    default void event(EventView event) throws IOException {}

    default void capture(Capture capture) throws IOException {}

    default void probe(Probe probe) throws IOException {}

    default void process(Process process) throws IOException {}

    default void thread(Thread thread) throws IOException {}

    default void stack(Stack stack) throws IOException {}

    default void clock(Clock clock) throws IOException {}

    default void loss(Loss loss) throws IOException {}

    default void captureEnd(CaptureEnd captureEnd) throws IOException {}
}
