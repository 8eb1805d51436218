package dev.probestream.cli.terminal;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/** The lines of a command that runs for days: each with the time at which it was said, in UTC. */
public final class ServiceLog {
    private final Terminal terminal;
    private final InstantSource clock;

    /** {@code clock} is {@link InstantSource#system} but in tests. */
    public ServiceLog(Terminal terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    public void say(String line) {
        terminal.say(clock.instant().truncatedTo(ChronoUnit.MILLIS) + " " + line);
    }
}
