package dev.probestream.query.result;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one result. Values are null, Boolean, a Number, a String (moments as ISO 8601 in UTC), a List of values,
 * or a Map of names to values.
 */
public interface ResultWriter {
    /**
     * A column of a result.
     *
     * @param isNumber whether its type is a number
     */
    record ResultColumn(String name, boolean isNumber) {}

    /** Called once, before the rows. */
    void begin(List<ResultColumn> columns) throws IOException;

    /** @param values one for each column; the caller reuses the array, but does not change the values */
    void row(@Nullable Object[] values) throws IOException;

    /** Called once, after the last row; everything has been written afterwards. */
    void end() throws IOException;
}
