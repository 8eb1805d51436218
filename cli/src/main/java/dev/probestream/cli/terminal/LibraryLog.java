package dev.probestream.cli.terminal;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the libraries log, Kafka's above all: nothing, because our own lines say what a user can act on. {@code
 * PROBESTREAM_LOG=warn} (or info, debug) shows it on the error stream to whoever looks for the reason of a fault.
 */
public final class LibraryLog {
    public static final String VARIABLE = "PROBESTREAM_LOG";

    private static final String LEVEL_OF_SLF4J_SIMPLE = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final List<String> LEVELS = List.of("off", "error", "warn", "info", "debug", "trace");

    private LibraryLog() {}

    /** To be called before the first library has made a logger; {@code level} is what the environment says, if anything. */
    public static void setUp(@Nullable String level) {
        if (level == null || level.isBlank()) {
            return; // simplelogger.properties turns it off
        }
        String known = level.toLowerCase(Locale.ROOT);
        System.setProperty(LEVEL_OF_SLF4J_SIMPLE, LEVELS.contains(known) ? known : "info");
    }
}
