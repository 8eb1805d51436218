package dev.probestream.query.report.analysis.fact;

import java.util.Locale;

/** Formats numbers for sentences of the report. */
public final class Amounts {
    private static final double NS_PER_MS = 1e6;

    private Amounts() {}

    /** For example "0.4 ms", "612 ms", "3.1 s". */
    public static String ofNs(double ns) {
        return ofMs(ns / NS_PER_MS);
    }

    public static String ofMs(double ms) {
        if (ms >= 120_000) {
            return digits(ms / 60_000) + " min";
        }
        return ms >= 1000 ? digits(ms / 1000) + " s" : digits(ms) + " ms";
    }

    /** For example "61 %"; a share above zero is never "0 %". */
    public static String share(double part, double whole) {
        if (whole <= 0) {
            return "0 %";
        }
        double percent = 100 * part / whole;
        return percent > 0 && percent < 1 ? "< 1 %" : Math.round(percent) + " %";
    }

    /**
     * A share of the time in which a thread had a CPU or had nothing to do; the rest of a recording is not its program's.
     * For example "67 % of the 8.1 s in which its thread had a CPU or nothing to do".
     */
    public static String shareOfAwake(double partNs, double awakeNs) {
        return share(partNs, awakeNs) + " of the " + ofNs(awakeNs) + " in which its thread had a CPU or nothing to do";
    }

    /** For example "1.8", "0.40", "12": a number of per cent. */
    public static String percent(double part, double whole) {
        double percent = whole <= 0 ? 0 : 100 * part / whole;
        return percent > 0 && percent < 0.005 ? "< 0.01" : digits(percent);
    }

    /** For example "1 request", "12,345 requests". */
    public static String count(long count, String noun) {
        return count(count) + " " + noun + (count == 1 ? "" : noun.endsWith("s") ? "es" : "s");
    }

    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    public static String bytes(double bytes) {
        String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double rest = bytes;
        while (rest >= 1024 && unit < units.length - 1) {
            rest /= 1024;
            unit++;
        }
        return digits(rest) + " " + units[unit];
    }

    /** Rounds to four significant digits, which is enough for plots and tables. */
    public static double rounded(double value) {
        // Less than a millionth of a unit is at most a nanosecond, or a rounding error of a subtraction.
        if (Math.abs(value) < 1e-6 || Double.isNaN(value) || Double.isInfinite(value)) {
            return 0;
        }
        double scale = Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
        return scale >= 1 ? Math.round(value * scale) / scale : Math.round(value);
    }

    private static String digits(double value) {
        return value == 0 || value >= 10
                ? String.format(Locale.ROOT, "%,d", Math.round(value))
                : String.format(Locale.ROOT, value < 0.095 ? "%.2f" : "%.1f", value);
    }
}
