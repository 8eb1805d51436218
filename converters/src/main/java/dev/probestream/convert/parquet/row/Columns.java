package dev.probestream.convert.parquet.row;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** The columns of a table, one call each, in their order. All may be NULL except the integers that are documented otherwise. */
final class Columns {
    private final List<Type> types = new ArrayList<>();

    /** A moment in UTC with nanoseconds. */
    Columns timestamp(String name) {
        types.add(Types.optional(PrimitiveTypeName.INT64)
                .as(LogicalTypeAnnotation.timestampType(true, TimeUnit.NANOS))
                .named(name));
        return this;
    }

    Columns required64(String name) {
        types.add(Types.required(PrimitiveTypeName.INT64).named(name));
        return this;
    }

    Columns required32(String name) {
        types.add(Types.required(PrimitiveTypeName.INT32).named(name));
        return this;
    }

    Columns integer64(String name) {
        types.add(Types.optional(PrimitiveTypeName.INT64).named(name));
        return this;
    }

    Columns integer32(String name) {
        types.add(Types.optional(PrimitiveTypeName.INT32).named(name));
        return this;
    }

    Columns truth(String name) {
        types.add(Types.optional(PrimitiveTypeName.BOOLEAN).named(name));
        return this;
    }

    Columns text(String name) {
        types.add(optionalText(name));
        return this;
    }

    Columns texts(String name) {
        types.add(Types.optionalList().element(optionalText("element")).named(name));
        return this;
    }

    Columns integers64(String name) {
        types.add(Types.optionalList().optionalElement(PrimitiveTypeName.INT64).named(name));
        return this;
    }

    /** A LIST of structs. */
    Columns structs(String name, Columns members) {
        GroupType struct = Types.optionalGroup()
                .addFields(members.types.toArray(new Type[0]))
                .named("element");
        types.add(Types.optionalList().element(struct).named(name));
        return this;
    }

    /** A MAP of text to text. */
    Columns labels(String name) {
        types.add(Types.optionalMap()
                .key(Types.required(PrimitiveTypeName.BINARY)
                        .as(LogicalTypeAnnotation.stringType())
                        .named("key"))
                .value(optionalText("value"))
                .named(name));
        return this;
    }

    private static Type optionalText(String name) {
        return Types.optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(name);
    }

    MessageType named(String table) {
        return new MessageType(table, types);
    }
}
