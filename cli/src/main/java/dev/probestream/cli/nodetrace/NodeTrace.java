package dev.probestream.cli.nodetrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Node's own trace during one recording. Called by one thread: {@link #begin}, {@link #end}, {@link #close}. */
public interface NodeTrace extends AutoCloseable {
    /**
     * The probes are about to be attached.
     *
     * @throws NodeTraceException when there cannot be a trace
     */
    void begin() throws IOException;

    /** The recording has ended, but the processes are still there: makes them write what they have. */
    void end() throws IOException;

    /** What was written, in order; may be empty. The files are gone after {@link #close}. */
    List<Path> files() throws IOException;

    /** What a person should know, one sentence each. */
    List<String> notices();

    /** Leaves nothing behind: no open inspector, no file. */
    @Override
    void close() throws IOException;
}
