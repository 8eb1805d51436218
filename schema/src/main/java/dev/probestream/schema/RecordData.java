package dev.probestream.schema;

import dev.probestream.schema.record.Recording;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.jspecify.annotations.Nullable;

/**
 * Finds the generated classes of our own schemas, and of no others, without asking the JVM for a class by a name that
 * stands in a file. Avro's own look-up refuses classes outside its list of trusted packages, and that list is global.
 */
final class RecordData extends SpecificData {
    static final RecordData INSTANCE = new RecordData();

    private RecordData() {
        super(Recording.class.getClassLoader());
    }

    @Override
    public @Nullable Class<?> getClass(Schema schema) {
        return switch (schema.getType()) {
            case RECORD, ENUM, FIXED -> RecordClasses.named(schema.getFullName());
            default -> super.getClass(schema);
        };
    }
}
