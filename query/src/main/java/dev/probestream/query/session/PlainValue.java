package dev.probestream.query.session;

import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.SQLException;
import java.sql.Struct;
import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts JDBC's values to those of a {@code ResultWriter}. */
final class PlainValue {
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'");
    private static final DateTimeFormatter LOCAL_MOMENT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSS");

    private PlainValue() {}

    static @Nullable Object of(@Nullable Object value) throws SQLException {
        if (value == null || value instanceof Boolean || value instanceof Number || value instanceof String) {
            return value;
        }
        if (value instanceof OffsetDateTime moment) {
            return moment.withOffsetSameInstant(ZoneOffset.UTC).format(MOMENT);
        }
        if (value instanceof Timestamp timestamp) {
            return timestamp.toLocalDateTime().format(LOCAL_MOMENT);
        }
        if (value instanceof Array array) {
            return list((Object[]) array.getArray());
        }
        if (value instanceof Object[] elements) {
            return list(elements);
        }
        if (value instanceof Struct || value instanceof Map<?, ?>) {
            return members(value);
        }
        if (value instanceof Blob blob) {
            return new String(blob.getBytes(1, (int) blob.length()), StandardCharsets.ISO_8859_1);
        }
        return value.toString();
    }

    private static List<@Nullable Object> list(@Nullable Object[] elements) throws SQLException {
        List<@Nullable Object> list = new ArrayList<>();
        for (Object element : elements) {
            list.add(of(element));
        }
        return list;
    }

    private static Map<String, @Nullable Object> members(Object value) throws SQLException {
        // Only this class of DuckDB's driver has the names of a struct's members.
        Map<?, ?> map = value instanceof org.duckdb.DuckDBStruct struct ? struct.getMap() : (Map<?, ?>) value;
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (Map.Entry<?, ?> member : map.entrySet()) {
            members.put(String.valueOf(of(member.getKey())), of(member.getValue()));
        }
        return members;
    }
}
