package dev.probestream.cli.hist;

import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.probe.ArgumentType;
import java.util.Locale;

/** Formats single values. */
final class ValueText {
    /** The text for a value that could not be read. */
    static final String UNREADABLE = "(unreadable)";

    private ValueText() {}

    /** A part of a key; control characters are escaped, so that traced programs cannot control the terminal. */
    static String of(KeyValue value) {
        if (!value.isReadable()) {
            return UNREADABLE;
        }
        ArgumentType type = value.type();
        return type.isText() ? escaped(value.text()) : number(type, value.number());
    }

    /** A number, formatted by its type. */
    static String number(ArgumentType type, long number) {
        return switch (type.form()) {
            case PTR, UVSTREAM -> "0x" + Long.toHexString(number);
            case BOOL -> number == 0 ? "false" : "true";
            default -> type.isSigned() ? Long.toString(number) : Long.toUnsignedString(number);
        };
    }

    /** A duration; three digits distinguish adjacent buckets. */
    static String duration(long ns) {
        if (ns < 1_000) {
            return ns + " ns";
        }
        String[] units = {"us", "ms", "s"};
        double value = ns / 1e3;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1e3;
            unit++;
        }
        String format = value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s";
        return String.format(Locale.ROOT, format, value, units[unit]);
    }

    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\n' -> escaped.append("\\n");
                case '\t' -> escaped.append("\\t");
                case '\r' -> escaped.append("\\r");
                default -> escaped.append(Character.isISOControl(c) ? String.format("\\x%02x", (int) c) : c);
            }
        }
        return escaped.toString();
    }
}
