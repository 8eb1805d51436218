package dev.probestream.convert.shape;

import dev.probestream.schema.record.Argument;

/** How an argument's value is to be shown. */
public enum ValueStyle {
    SIGNED,
    UNSIGNED,
    BOOL,
    /** Pointers and flags. */
    HEX,
    /** Negative values are errors with a name. */
    ERRNO,
    TEXT;

    /** @param type as in {@link Argument}; one that is unknown is shown as a signed number */
    public static ValueStyle of(String type, String unit) {
        if (type.equals("str") || type.startsWith("char[")) {
            return TEXT;
        }
        if (unit.equals("errno")) {
            return ERRNO;
        }
        if (unit.equals("flags") || type.equals("ptr")) {
            return HEX;
        }
        if (type.equals("bool")) {
            return BOOL;
        }
        return type.startsWith("u") ? UNSIGNED : SIGNED;
    }
}
