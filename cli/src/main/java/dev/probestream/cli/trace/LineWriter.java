package dev.probestream.cli.trace;

import dev.probestream.collector.line.Message;
import java.util.Optional;

/** Makes the line of one hit. */
interface LineWriter {
    /** What stands before the first line; may be "". */
    String header();

    /** @param message how to print it; empty = every argument with its name */
    void write(Hit hit, ProbeLines probe, Optional<Message> message, LineBuffer out);
}
