package dev.probestream.schema.format;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The format that a file or message states: two texts, in the header of a recording, in the footer of a table, and in
 * the headers of a message in the metadata topic.
 *
 * @param format the version of the format, as it is written there; "" = none is stated
 * @param program the version of the Probestream that wrote it; "" = unknown
 */
public record FormatStamp(String format, String program) {
    /** The key of the format's version. */
    public static final String FORMAT_KEY = "probestream.format";

    /** The key of the program's version. */
    public static final String PROGRAM_KEY = "probestream.program";

    private static final String OWN_PROGRAM = Optional.ofNullable(
                    FormatStamp.class.getPackage().getImplementationVersion())
            .orElse("development");

    /** What this program writes. */
    public static final FormatStamp OWN = new FormatStamp(FormatVersion.CURRENT.toString(), OWN_PROGRAM);

    /**
     * {@return the stamp among the entries that {@code entries} looks up by their key}
     *
     * @param entries looks one up; null = there is none
     */
    public static FormatStamp of(Function<String, @Nullable String> entries) {
        String format = entries.apply(FORMAT_KEY);
        String program = entries.apply(PROGRAM_KEY);
        return new FormatStamp(format == null ? "" : format, program == null ? "" : program);
    }

    /** {@return the entries that {@link #of} reads} */
    public Map<String, String> entries() {
        return Map.of(FORMAT_KEY, format, PROGRAM_KEY, program);
    }

    /** {@return whether this program reads it} */
    public boolean isReadable() {
        return FormatVersion.parse(format).map(FormatVersion::isReadable).orElse(false);
    }

    /** {@return whether a newer program wrote it, of which this one may miss something} A text that is not a version is of a newer one. */
    public boolean isNewer() {
        return !format.isEmpty()
                && FormatVersion.parse(format).map(FormatVersion::isNewer).orElse(true);
    }

    /** {@return why this program does not read it, and what to do: the rest of a sentence that names the file} */
    public String refusal() {
        String writer = program.isEmpty() ? "the Probestream that wrote it" : "Probestream " + program;
        return (format.isEmpty() ? "it states no format" : "it has format " + format)
                + (program.isEmpty() ? "" : ", written by " + writer)
                + ", and this is Probestream " + OWN.program + ", which reads format "
                + FormatVersion.CURRENT.major() + ".x; "
                + (isNewer()
                        ? "update Probestream" + (program.isEmpty() ? "" : " to " + program + " or newer")
                        : "read it with " + writer + ", or record again");
    }
}
