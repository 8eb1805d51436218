package dev.probestream.convert.parquet.row;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.GroupType;
import org.jspecify.annotations.Nullable;

/**
 * A row that is being written: each call fills the next column, or leaves it NULL. Lists and maps have the three levels
 * that the specification demands (LogicalTypes.md, "Nested Types").
 */
public final class Row {
    private static final String LIST = "list";
    private static final String ELEMENT = "element";
    private static final String KEY_VALUE = "key_value";
    private static final String KEY = "key";
    private static final String VALUE = "value";

    private final RecordConsumer consumer;
    private final String[] names;
    private int column;

    public Row(RecordConsumer consumer, GroupType columns) {
        this.consumer = consumer;
        this.names = columns.getFields().stream().map(type -> type.getName()).toArray(String[]::new);
    }

    /** Of the columns of a struct in this row. */
    private Row(RecordConsumer consumer, String[] names) {
        this.consumer = consumer;
        this.names = names;
    }

    public void begin() {
        consumer.startMessage();
        column = 0;
    }

    public void end() {
        if (column != names.length) {
            throw new IllegalStateException("a row of " + column + " columns where " + names.length + " are due");
        }
        consumer.endMessage();
    }

    Row none() {
        column++;
        return this;
    }

    Row integer64(long value) {
        consumer.startField(names[column], column);
        consumer.addLong(value);
        consumer.endField(names[column], column++);
        return this;
    }

    Row integer64(boolean isThere, long value) {
        return isThere ? integer64(value) : none();
    }

    Row integer32(int value) {
        consumer.startField(names[column], column);
        consumer.addInteger(value);
        consumer.endField(names[column], column++);
        return this;
    }

    Row integer32(boolean isThere, int value) {
        return isThere ? integer32(value) : none();
    }

    Row truth(boolean value) {
        consumer.startField(names[column], column);
        consumer.addBoolean(value);
        consumer.endField(names[column], column++);
        return this;
    }

    Row text(@Nullable Binary value) {
        if (value == null) {
            return none();
        }
        consumer.startField(names[column], column);
        consumer.addBinary(value);
        consumer.endField(names[column], column++);
        return this;
    }

    Row text(String value) {
        return text(Binary.fromString(value));
    }

    Row texts(List<String> values) {
        beginList(values.size());
        for (String value : values) {
            beginElement();
            element(Binary.fromString(value));
            endElement();
        }
        endList(values.size());
        return this;
    }

    /** To be followed by its elements, each between {@link #beginElement} and {@link #endElement}. */
    void beginList(int size) {
        consumer.startField(names[column], column);
        consumer.startGroup();
        if (size > 0) {
            consumer.startField(LIST, 0);
        }
    }

    void beginElement() {
        consumer.startGroup();
    }

    /** Without it the element is NULL. */
    void element(long value) {
        consumer.startField(ELEMENT, 0);
        consumer.addLong(value);
        consumer.endField(ELEMENT, 0);
    }

    void element(Binary value) {
        consumer.startField(ELEMENT, 0);
        consumer.addBinary(value);
        consumer.endField(ELEMENT, 0);
    }

    void endElement() {
        consumer.endGroup();
    }

    void endList(int size) {
        if (size > 0) {
            consumer.endField(LIST, 0);
        }
        consumer.endGroup();
        consumer.endField(names[column], column++);
    }

    /** A LIST of structs; {@code shape} has the struct's columns and fills each. */
    <T> Row structs(List<T> values, RowShape<T> shape) {
        String[] members =
                shape.schema().getFields().stream().map(type -> type.getName()).toArray(String[]::new);
        beginList(values.size());
        for (T value : values) {
            beginElement();
            consumer.startField(ELEMENT, 0);
            consumer.startGroup();
            shape.write(value, new Row(consumer, members));
            consumer.endGroup();
            consumer.endField(ELEMENT, 0);
            endElement();
        }
        endList(values.size());
        return this;
    }

    Row labels(Map<String, String> labels) {
        consumer.startField(names[column], column);
        consumer.startGroup();
        if (!labels.isEmpty()) {
            consumer.startField(KEY_VALUE, 0);
            labels.keySet().stream().sorted().forEach(key -> label(key, Objects.requireNonNull(labels.get(key))));
            consumer.endField(KEY_VALUE, 0);
        }
        consumer.endGroup();
        consumer.endField(names[column], column++);
        return this;
    }

    private void label(String key, String value) {
        consumer.startGroup();
        consumer.startField(KEY, 0);
        consumer.addBinary(Binary.fromString(key));
        consumer.endField(KEY, 0);
        consumer.startField(VALUE, 1);
        consumer.addBinary(Binary.fromString(value));
        consumer.endField(VALUE, 1);
        consumer.endGroup();
    }
}
