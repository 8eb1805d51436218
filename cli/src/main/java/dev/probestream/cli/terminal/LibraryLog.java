package dev.probestream.cli.terminal;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The log level of the libraries, mainly of Kafka: off by default, because Probestream reports failures itself. {@code
 * PROBESTREAM_LOG=warn} (or info, debug) writes their log to the error stream, for troubleshooting.
 */
public final class LibraryLog {
    public static final String VARIABLE = "PROBESTREAM_LOG";

    private static final String LEVEL_OF_SLF4J_SIMPLE = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final List<String> LEVELS = List.of("off", "error", "warn", "info", "debug", "trace");

    private LibraryLog() {}

    /** Sets the level from the environment variable, if set. Must be called before a library creates its first logger. */
    public static void setUp(@Nullable String level) {
        if (level == null || level.isBlank()) {
            return; // simplelogger.properties turns it off
        }
        String known = level.toLowerCase(Locale.ROOT);
        System.setProperty(LEVEL_OF_SLF4J_SIMPLE, LEVELS.contains(known) ? known : "info");
    }
}
