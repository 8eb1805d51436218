package dev.probestream.cli.trace;

import dev.probestream.cli.live.Hit;
import dev.probestream.cli.live.LineBuffer;
import dev.probestream.collector.dialect.Message;
import java.util.Optional;

/** Makes the line of one hit. */
interface LineWriter {
    /** What stands before the first line; may be "". */
    String header();

    /** @param message how to print it; empty = every argument with its name */
    void write(Hit hit, ProbeLines probe, Optional<Message> message, LineBuffer out);
}
