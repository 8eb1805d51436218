package dev.probestream.query.report.analysis.chapter;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.ReportPart.Line;
import dev.probestream.query.report.ReportPart.Series;
import dev.probestream.query.report.ReportPart.Shape;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The axis that all plots over time share: at most 200 steps of a round length from the first hit to the last. Only the last step
 * may have another length, between a half and one and a half of the others, so that it ends with the last hit.
 *
 * @param startMs Unix time of the first hit
 * @param lastStepMs the length of the last step
 */
public record TimeAxis(long startMs, long stepMs, int steps, long lastStepMs) {
    private static final int MOST_STEPS = 200;
    private static final long[] ROUND_MS = {
        10,
        20,
        50,
        100,
        200,
        500,
        1000,
        2000,
        5000,
        10_000,
        30_000,
        60_000,
        300_000,
        600_000,
        1_800_000,
        3_600_000,
        21_600_000,
        86_400_000
    };

    /** Of all captures together. */
    public static TimeAxis of(RecordingDatabase database) throws QueryException {
        ResultRow row = database.row("SELECT min(first_ns + unix_minus_mono_ns) // 1000000 AS first_ms,"
                + " max(last_ns + unix_minus_mono_ns) // 1000000 AS last_ms FROM report_capture");
        return between(row.count("first_ms"), row.count("last_ms"));
    }

    public static TimeAxis between(long firstMs, long lastMs) {
        long stepMs = ROUND_MS[ROUND_MS.length - 1];
        for (long round : ROUND_MS) {
            if ((lastMs - firstMs) / round < MOST_STEPS - 1) {
                stepMs = round;
                break;
            }
        }
        // A last step of less than half the length belongs to the one before it, because its rate would be accidental.
        long lengthMs = Math.max(lastMs - firstMs + 1, stepMs);
        long steps = Math.min((lengthMs + stepMs / 2) / stepMs, 100_000);
        return new TimeAxis(firstMs, stepMs, (int) steps, lengthMs - (steps - 1) * stepMs);
    }

    /** SQL: the number of the step in which a moment lies. {@code unixNs}: an expression. */
    String stepOf(String unixNs) {
        return "least(((" + unixNs + ") // 1000000 - " + startMs + ") // " + stepMs + ", " + (steps - 1) + ")::INTEGER";
    }

    /** SQL: {@code count} hits of a step as hits per second; {@code step}: an expression for its number. */
    String perSecond(String count, String step) {
        return "(" + count + ") * 1000.0 / CASE WHEN " + step + " = " + (steps - 1) + " THEN " + lastStepMs + " ELSE "
                + stepMs + " END";
    }

    List<Double> timesMs() {
        List<Double> times = new ArrayList<>(steps);
        for (int i = 0; i < steps; i++) {
            times.add((double) (startMs + i * stepMs));
        }
        return times;
    }

    /** A plot of rows with a column {@code step} and one column for each line; areas behind the first that are empty are left out. */
    Series series(String title, String unit, List<ResultRow> rows, List<LineOf> lines) {
        List<Line> drawn = new ArrayList<>();
        for (LineOf line : lines) {
            List<@Nullable Double> values = new ArrayList<>(steps);
            for (int i = 0; i < steps; i++) {
                values.add(line.isZeroWhenMissing() ? 0.0 : null);
            }
            for (ResultRow row : rows) {
                int step = (int) row.count("step");
                if (step >= 0 && step < steps && !row.isNull(line.column())) {
                    values.set(step, Amounts.rounded(row.number(line.column())));
                }
            }
            boolean isEmptyArea =
                    line.shape() == Shape.AREA && values.stream().allMatch(value -> value == null || value == 0);
            if (drawn.isEmpty() || !isEmptyArea) {
                drawn.add(new Line(line.name(), line.shape(), values));
            }
        }
        return new Series(title, unit, timesMs(), drawn);
    }

    /** Which column becomes which line; a step without a row is 0, or a gap. */
    record LineOf(String column, String name, Shape shape, boolean isZeroWhenMissing) {
        static LineOf counts(String column, String name, Shape shape) {
            return new LineOf(column, name, shape, true);
        }

        static LineOf values(String column, String name) {
            return new LineOf(column, name, Shape.LINE, false);
        }
    }
}
