package dev.probestream.convert.parquet;

import dev.probestream.convert.parquet.row.ParquetTable;
import dev.probestream.convert.parquet.row.WallClock;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Where in the folder the rows of a table go.
 *
 * @param eventsName null = the events of a capture are in {@code TABLE/CAPTUREID.parquet}, as all metadata; else they are
 *     in {@code TABLE/day=YYYY-MM-DD/hour=H/NAME.parquet} by the UTC hour of their start
 */
record Layout(Path folder, @Nullable String eventsName) {
    /** The partition of an unknown hour. */
    static final long UNKNOWN_HOUR = Long.MIN_VALUE;

    private static final long HOUR_NS = 3_600_000_000_000L;
    private static final long HOUR_SECONDS = 3_600;

    /** How Hive spells the value NULL. */
    private static final String NO_VALUE = "__HIVE_DEFAULT_PARTITION__";

    private static final String ENDING = ".parquet";

    /** Counts the hours since 1970-01-01 UTC; events of the same hour go into the same file. */
    long hour(WallClock clock, long monotonicNs) {
        if (eventsName == null) {
            return 0;
        }
        return clock.isKnown() ? Math.floorDiv(clock.realtimeNs(monotonicNs), HOUR_NS) : UNKNOWN_HOUR;
    }

    Path metadata(ParquetTable table, long captureId) {
        return folder.resolve(table.folderName()).resolve(captureId + ENDING);
    }

    /** @param part counts the files of that capture and hour from 1: each has a name of its own */
    Path events(ParquetTable table, long captureId, long hour, int part) {
        String ending = part == 1 ? ENDING : "." + part + ENDING;
        Path ofTable = folder.resolve(table.folderName());
        return eventsName == null
                ? ofTable.resolve(captureId + ending)
                : ofTable.resolve(day(hour)).resolve(hourOfDay(hour)).resolve(eventsName + ending);
    }

    private static String day(long hour) {
        return "day=" + (hour == UNKNOWN_HOUR ? NO_VALUE : time(hour).toLocalDate());
    }

    private static String hourOfDay(long hour) {
        return "hour=" + (hour == UNKNOWN_HOUR ? NO_VALUE : time(hour).getHour());
    }

    private static LocalDateTime time(long hour) {
        return LocalDateTime.ofInstant(Instant.ofEpochSecond(hour * HOUR_SECONDS), ZoneOffset.UTC);
    }
}
