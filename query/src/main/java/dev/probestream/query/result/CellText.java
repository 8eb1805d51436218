package dev.probestream.query.result;

import dev.probestream.query.result.ResultWriter.ResultColumn;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Formats the values of a column for display: durations (columns {@code ..._ns}, but for moments of a clock) and sizes
 * ({@code ..._bytes}) in fitting multiples, fractions with three digits, moments without their zone, which is UTC. Control
 * characters in recorded texts are escaped, because a terminal would interpret them.
 */
enum CellText {
    PLAIN,
    NANOSECONDS,
    BYTES;

    private static final double[] TIME_STEPS = {1e3, 1e6, 1e9};
    private static final String[] TIME_UNITS = {"us", "ms", "s"};
    private static final String[] BYTE_UNITS = {"KB", "MB", "GB", "TB"};
    private static final String MOMENT = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z";
    private static final int DIGITS = 3;

    static CellText of(ResultColumn column) {
        String name = column.name().toLowerCase(Locale.ROOT);
        boolean isMoment = name.endsWith("mono_ns") || name.endsWith("boottime_ns");
        if (column.isNumber() && name.endsWith("_ns") && !isMoment) {
            return NANOSECONDS;
        }
        return column.isNumber() && name.endsWith("_bytes") ? BYTES : PLAIN;
    }

    String of(@Nullable Object value) {
        if (value instanceof Number number) {
            return switch (this) {
                case NANOSECONDS -> duration(number.doubleValue());
                case BYTES -> bytes(number.doubleValue());
                case PLAIN -> number(number);
            };
        }
        String text = PlainText.of(value);
        boolean isMoment = text.endsWith("Z") && text.matches(MOMENT);
        return VisibleText.of(isMoment ? text.substring(0, text.length() - 1).replace('T', ' ') : text);
    }

    private static String number(Number number) {
        boolean isFraction = number instanceof Double || number instanceof Float || number instanceof BigDecimal;
        double value = number.doubleValue();
        if (!isFraction || !Double.isFinite(value)) {
            return number.toString();
        }
        boolean isSmall = value != 0 && Math.abs(value) < 1;
        return isSmall
                ? new BigDecimal(value)
                        .round(new MathContext(DIGITS))
                        .stripTrailingZeros()
                        .toPlainString()
                : String.format(Locale.ROOT, "%.3f", value);
    }

    private static String duration(double ns) {
        if (Math.abs(ns) < TIME_STEPS[0]) {
            return String.format(Locale.ROOT, "%.0f ns", ns);
        }
        int unit = 0;
        while (unit < TIME_UNITS.length - 1 && Math.abs(ns) >= TIME_STEPS[unit + 1]) {
            unit++;
        }
        return String.format(Locale.ROOT, "%.3f %s", ns / TIME_STEPS[unit], TIME_UNITS[unit]);
    }

    private static String bytes(double bytes) {
        double value = bytes;
        int unit = -1;
        while (Math.abs(value) >= 1000 && unit < BYTE_UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        return unit < 0
                ? String.format(Locale.ROOT, "%.0f B", value)
                : String.format(Locale.ROOT, "%.1f %s", value, BYTE_UNITS[unit]);
    }
}
