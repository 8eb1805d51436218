package dev.probestream.sink.position;

import dev.probestream.sink.segment.Segment;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a finished file says by its name: {@code cCAPTURE-pPARTITION-FIRSTOFFSET-LASTOFFSET}, so that a folder can be told
 * what it holds without opening a file. A trace has the publishing time of its first event in front of that, so that
 * names are in the order of time.
 */
public record FinishedName(long captureId, int partition, long firstOffset, long lastOffset) {
    private static final Pattern FORM =
            Pattern.compile("(?:.*_)?c(-?\\d{1,19})-p(\\d{1,9})-(\\d{1,19})-(\\d{1,19})(?:\\.\\d+)?\\.[a-z.]+");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /** Without an ending, and without the time. */
    public static String plain(Segment slice) {
        return String.format(
                "c%d-p%03d-%012d-%012d", slice.captureId(), slice.partition(), slice.firstOffset(), slice.lastOffset());
    }

    /** With the time in front. */
    public static String timed(Segment slice) {
        return TIME.format(Instant.ofEpochMilli(slice.firstPublishMs())) + "_" + plain(slice);
    }

    /** Empty if the file is none of a slice. */
    public static Optional<FinishedName> of(Path file) {
        Matcher matcher = FORM.matcher(file.getFileName().toString());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new FinishedName(
                    Long.parseLong(matcher.group(1)),
                    Integer.parseInt(matcher.group(2)),
                    Long.parseLong(matcher.group(3)),
                    Long.parseLong(matcher.group(4))));
        } catch (NumberFormatException e) {
            return Optional.empty(); // longer than any offset: not ours
        }
    }
}
