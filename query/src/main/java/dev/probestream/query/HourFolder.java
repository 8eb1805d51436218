package dev.probestream.query;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The folders of a sink, {@code day=2026-11-21/hour=9}: the UTC hour in which the rows of their files start. */
final class HourFolder {
    private static final Pattern PATTERN = Pattern.compile("day=(\\d{4}-\\d{2}-\\d{2})/hour=(\\d{1,2})/[^/]*\\z");
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    private HourFolder() {}

    /** Whether a row of {@code file}, a file of {@code table}, can be in the time range, by the file's name only. */
    static boolean canHold(Path file, RecordedTable table, TimeRangeFilter timeRange) {
        OptionalLong hour = startUnixNs(file);
        if (hour.isEmpty() || timeRange.condition(table).isEmpty()) {
            return true;
        }
        Optional<Long> latest = timeRange.latestUnixNs();
        if (latest.isPresent() && hour.getAsLong() >= latest.get()) {
            return false;
        }
        // Rows with a duration may reach from an earlier hour into the time range.
        Optional<Long> earliest = timeRange.earliestUnixNs();
        boolean lasts = table != RecordedTable.EVENTS;
        return lasts || earliest.isEmpty() || hour.getAsLong() + HOUR_NS > earliest.get();
    }

    private static OptionalLong startUnixNs(Path file) {
        Matcher matcher = PATTERN.matcher(file.toString());
        if (!matcher.find()) {
            return OptionalLong.empty();
        }
        try {
            long hour = Long.parseLong(matcher.group(2));
            long daySeconds = LocalDate.parse(matcher.group(1)).atStartOfDay().toEpochSecond(ZoneOffset.UTC);
            return OptionalLong.of(TimeUnit.SECONDS.toNanos(daySeconds) + hour * HOUR_NS);
        } catch (DateTimeException e) {
            return OptionalLong.empty(); // not a folder of a sink
        }
    }
}
