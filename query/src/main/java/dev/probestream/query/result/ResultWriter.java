package dev.probestream.query.result;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the rows of one result. Values are null, Boolean, a Number, a String (moments as ISO 8601 in UTC), a List of values,
 * or a Map of names to values.
 */
public interface ResultWriter {
    /** Called once, before the rows. */
    void begin(List<ResultColumn> columns) throws IOException;

    /** @param values one for each column; the array is the caller's again afterwards, the values are not changed */
    void row(@Nullable Object[] values) throws IOException;

    /** Called once, after the last row; everything is written then. */
    void end() throws IOException;
}
