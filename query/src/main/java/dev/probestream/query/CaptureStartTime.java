package dev.probestream.query;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The start of a capture.
 *
 * @param monotonicNs CLOCK_MONOTONIC of its host
 * @param unixNs UTC, truncated to microseconds; {@link #UNKNOWN} if the wall-clock time is unknown
 */
record CaptureStartTime(long captureId, long monotonicNs, long unixNs) {
    static final long UNKNOWN = Long.MIN_VALUE;

    /** Reads the relation {@code captures}. */
    static List<CaptureStartTime> all(Connection connection) throws SQLException {
        List<CaptureStartTime> starts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT DISTINCT capture_id, mono_ns, epoch_us(ts) FROM captures WHERE mono_ns IS NOT NULL"
                                + " ORDER BY ALL")) {
            while (row.next()) {
                long unixUs = row.getLong(3);
                starts.add(new CaptureStartTime(
                        row.getLong(1),
                        row.getLong(2),
                        row.wasNull() ? UNKNOWN : TimeUnit.MICROSECONDS.toNanos(unixUs)));
            }
        }
        return starts;
    }

    boolean isDated() {
        return unixNs != UNKNOWN;
    }
}
