package dev.probestream.bench.probe;

import java.io.IOException;

/** A running tool that prints a line for each hit of the target. */
interface Tracer extends AutoCloseable {
    /** Its process. */
    Tool tool();

    /** Ends it and gives how many hits it says it lost. */
    long finish() throws IOException;

    @Override
    void close();
}
