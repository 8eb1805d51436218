package dev.probestream.convert.parquet.row;

import java.util.List;
import org.apache.parquet.schema.MessageType;

/** The columns of a table, and how a row fills them. */
public interface RowShape<T> {
    MessageType schema();

    /**
     * Columns of numbers that grow from row to row or differ in every row: they are stored as differences, and no time is
     * spent on looking for repetitions.
     */
    default List<String> ascending() {
        return List.of();
    }

    /** Puts each column of {@code value} into {@code row}, in the order of the schema. */
    void write(T value, Row row);
}
