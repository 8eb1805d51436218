package dev.probestream.cli.terminal;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** The log of a command that runs as a service: each line starts with its time in UTC. */
public final class ServiceLog {
    private final Terminal terminal;
    private final InstantSource clock;

    /** {@code clock} is {@link InstantSource#system} but in tests. */
    public ServiceLog(Terminal terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    public void log(String line) {
        terminal.print(clock.instant().truncatedTo(ChronoUnit.MILLIS) + " " + line);
    }
}
