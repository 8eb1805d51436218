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
 * The name of a finished file, {@code cCAPTURE-pPARTITION-FIRSTOFFSET-LASTOFFSET}, which shows what the file holds without
 * opening it. A trace has the publishing time of its first event as a prefix, so that names sort by time.
 */
public record FinishedName(long captureId, int partition, long firstOffset, long lastOffset) {
    private static final Pattern PATTERN =
            Pattern.compile("(?:.*_)?c(-?\\d{1,19})-p(\\d{1,9})-(\\d{1,19})-(\\d{1,19})(?:\\.\\d+)?\\.[a-z.]+");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    /** Without an ending, and without the time. */
    public static String plain(Segment segment) {
        return String.format(
                "c%d-p%03d-%012d-%012d",
                segment.captureId(), segment.partition(), segment.firstOffset(), segment.lastOffset());
    }

    /** With the time as a prefix. */
    public static String timed(Segment segment) {
        return TIME.format(Instant.ofEpochMilli(segment.firstPublishMs())) + "_" + plain(segment);
    }

    /** Empty if the name is not that of a finished file. */
    public static Optional<FinishedName> of(Path file) {
        Matcher matcher = PATTERN.matcher(file.getFileName().toString());
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
            return Optional.empty(); // a number longer than any offset: not a finished file
        }
    }
}
