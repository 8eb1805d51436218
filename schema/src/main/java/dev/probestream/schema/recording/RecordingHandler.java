package dev.probestream.schema.recording;

import dev.probestream.schema.EventView;
import dev.probestream.schema.RecordVisitor;
import java.io.IOException;

/**
 * Takes the records of a recording in the order in which they are in the file. Each method is called on the reading
 * thread; a method that is not overridden lets its records pass. What a method throws ends the reading and reaches the
 * caller of {@link RecordingReader#read} unchanged.
 */
public interface RecordingHandler extends RecordVisitor<IOException> {
    /**
     * The view is borrowed: it is valid only inside the call.
     *
     * @param event borrowed
     * @throws IOException if the handler cannot pass it on
     */
    default void event(EventView event) throws IOException {}
}
