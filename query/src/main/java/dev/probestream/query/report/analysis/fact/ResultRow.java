package dev.probestream.query.report.analysis.fact;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One row of a result: values by the names of its columns. */
public record ResultRow(Map<String, @Nullable Object> values) {
    /** The text; "" for NULL. */
    public String text(String column) {
        Object value = value(column);
        return value == null ? "" : value.toString();
    }

    /** NULL is 0. */
    public double number(String column) {
        return value(column) instanceof Number number ? number.doubleValue() : 0;
    }

    /** NULL is 0. */
    public long count(String column) {
        return value(column) instanceof Number number ? number.longValue() : 0;
    }

    /** NULL is false. */
    public boolean bool(String column) {
        return Boolean.TRUE.equals(value(column));
    }

    public boolean isNull(String column) {
        return value(column) == null;
    }

    /** SQL for rows of the same process as this one, which has {@code capture_id} and {@code pid}. */
    public String sameProcess() {
        return "capture_id = %d AND pid = %d".formatted(count("capture_id"), count("pid"));
    }

    /** As above, of the same thread. */
    public String sameThread() {
        return sameProcess() + " AND tid = " + count("tid");
    }

    /** The cell of a table: a rounded number, a text, or null. */
    @Nullable
    public Object cell(String column) {
        Object value = value(column);
        if (value instanceof Double || value instanceof Float || value instanceof java.math.BigDecimal) {
            return Amounts.rounded(((Number) value).doubleValue());
        }
        if (value instanceof Number number) {
            return number.longValue();
        }
        return value == null ? null : value.toString();
    }

    private @Nullable Object value(String column) {
        if (!values.containsKey(column)) {
            throw new IllegalArgumentException("no column " + column + " in " + values.keySet());
        }
        return values.get(column);
    }
}
