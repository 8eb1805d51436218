package dev.probestream.cli.terminal;

import java.time.Duration;
import java.util.Locale;

/** Formats numbers for people. */
public final class Quantity {
    private static final String[] BYTE_UNITS = {"B", "KB", "MB", "GB", "TB"};

    private Quantity() {}

    /** {@code 1,234,567}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** {@code 1 event}, {@code 2 events}. */
    public static String count(long count, String noun) {
        return count(count) + " " + noun + (count == 1 ? "" : "s");
    }

    /** {@code 14.2 MB}; powers of 1000. */
    public static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, BYTE_UNITS[unit]);
    }

    /** {@code 10.0 s}. */
    public static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toNanos() / 1e9);
    }

    /** {@code 950 ns}, {@code 1.2 us}, {@code 34.5 ms} or {@code 2.1 s}. */
    public static String duration(long ns) {
        if (ns < 1_000) {
            return ns + " ns";
        }
        if (ns < 1_000_000) {
            return String.format(Locale.ROOT, "%.1f us", ns / 1e3);
        }
        if (ns < 1_000_000_000) {
            return String.format(Locale.ROOT, "%.1f ms", ns / 1e6);
        }
        return String.format(Locale.ROOT, "%.1f s", ns / 1e9);
    }
}
