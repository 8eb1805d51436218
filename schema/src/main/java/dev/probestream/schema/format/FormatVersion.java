package dev.probestream.schema.format;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of everything that Probestream writes for itself to read again: recordings, messages and tables. It is not
 * the version of the program.
 *
 * @param major grows with a change that readers of the previous version cannot read, or would misunderstand: a new kind of
 *     record, a new value of an enum, a field that is removed or means something else
 * @param minor grows with fields, columns and tables that such a reader can leave out
 */
public record FormatVersion(int major, int minor) implements Comparable<FormatVersion> {
    /** What this version writes. */
    public static final FormatVersion CURRENT = new FormatVersion(3, 0);

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})");
    private static final Comparator<FormatVersion> ORDER =
            Comparator.comparingInt(FormatVersion::major).thenComparingInt(FormatVersion::minor);

    /**
     * Parses {@code MAJOR.MINOR}; empty if it is something else.
     *
     * @param text as a file or a message has it
     * @return the version
     */
    public static Optional<FormatVersion> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        return matcher.matches()
                ? Optional.of(new FormatVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    /**
     * {@return whether this version of the program reads it, without the fields that a newer minor version has added}
     */
    public boolean isReadable() {
        return major == CURRENT.major;
    }

    /** {@return whether this version of the program may miss something of it} */
    public boolean isNewer() {
        return compareTo(CURRENT) > 0;
    }

    @Override
    public int compareTo(FormatVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
