package dev.probestream.cli.nodetrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Node's own trace during one recording. Called by one thread: {@link #begin}, {@link #end}, {@link #close}. */
public interface NodeTrace extends AutoCloseable {
    /**
     * Starts the trace, before the probes are attached.
     *
     * @throws NodeTraceException if tracing cannot be started
     */
    void begin() throws IOException;

    /** Ends the trace after the recording, while the processes still run: they write their buffered events. */
    void end() throws IOException;

    /** The files that were written, in order; may be empty. {@link #close} deletes them. */
    List<Path> files() throws IOException;

    /** Warnings, one sentence each. */
    List<String> warnings();

    /** Closes the inspector and deletes the files. */
    @Override
    void close() throws IOException;
}
