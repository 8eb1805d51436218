package dev.probestream.query.result;

import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Formats a value as text, lists and structs as in SQL: {@code [1, NULL]}, {@code {name: x}}. */
final class PlainText {
    private PlainText() {}

    static String of(@Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof List<?> list) {
            StringJoiner elements = new StringJoiner(", ", "[", "]");
            list.forEach(element -> elements.add(of(element)));
            return elements.toString();
        }
        if (value instanceof Map<?, ?> map) {
            StringJoiner members = new StringJoiner(", ", "{", "}");
            map.forEach((name, member) -> members.add(name + ": " + of(member)));
            return members.toString();
        }
        return value.toString();
    }
}
