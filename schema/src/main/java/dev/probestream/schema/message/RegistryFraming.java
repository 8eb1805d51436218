package dev.probestream.schema.message;

import dev.probestream.schema.record.Event;
import dev.probestream.schema.registry.SchemaRegistry;
import dev.probestream.schema.registry.SchemaRegistryException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that Confluent's serializers write in front of a record ("Wire format" of Confluent's Schema Registry):
 *
 * <pre>
 *   0  1 byte   00
 *   1  4 bytes  id of the writer's schema in the registry, big-endian
 *   5           the record, Avro binary
 * </pre>
 *
 * Values in Avro's single-object encoding are read as well: a topic has both if the registry was introduced later.
 */
public final class RegistryFraming implements MessageFraming {
    private static final byte MAGIC = 0;
    private static final int HEADER_BYTES = 5;
    private static final VarHandle INT_AT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** Under which subjects schemas are registered; the names are of Confluent's strategies. */
    public enum Subjects {
        /** TopicRecordNameStrategy: {@code TOPIC-FULL.NAME.OF.RECORD}. */
        TOPIC_RECORD,
        /** RecordNameStrategy: {@code FULL.NAME.OF.RECORD}; all topics share it. */
        RECORD;

        private String name(String topic, Schema schema) {
            return switch (this) {
                case TOPIC_RECORD -> topic + "-" + schema.getFullName();
                case RECORD -> schema.getFullName();
            };
        }
    }

    private final SchemaRegistry registry;
    /** By full name; empty for a reader. */
    private final Map<String, Integer> registered;
    /** What ids that were looked up are; empty = no schema of this version. */
    private final Map<Integer, Optional<Schema>> known = new HashMap<>();

    private int lastId;
    private @Nullable Schema last;

    private RegistryFraming(SchemaRegistry registry, Map<String, Integer> registered) {
        this.registry = registry;
        this.registered = registered;
    }

    /**
     * {@return a framing that reads; schemas are looked up when messages have their ids}
     *
     * @param registry where
     */
    public static RegistryFraming reading(SchemaRegistry registry) {
        return new RegistryFraming(registry, Map.of());
    }

    /**
     * {@return a framing that also writes} Registers the schemas of all messages.
     *
     * @param registry where
     * @param topics that the messages are for
     * @param subjects names under which the schemas are registered
     * @throws SchemaRegistryException if the registry does not answer, or refuses
     */
    public static RegistryFraming registered(SchemaRegistry registry, Topics topics, Subjects subjects)
            throws SchemaRegistryException {
        Map<String, Integer> ids = new HashMap<>();
        for (Schema schema : MessageSchemas.ALL) {
            String topic = schema.equals(Event.SCHEMA$) ? topics.events() : topics.metadata();
            ids.put(
                    schema.getFullName(),
                    registry.register(subjects.name(topic, schema), MessageSchemas.published(schema)));
        }
        return new RegistryFraming(registry, ids);
    }

    /** Whether a value begins with such a header. */
    static boolean isIn(byte[] value) {
        return value.length >= HEADER_BYTES && value[0] == MAGIC;
    }

    @Override
    public byte[] header(Schema schema) {
        Integer id = registered.get(schema.getFullName());
        if (id == null) {
            throw new IllegalArgumentException("no message holds a " + schema.getFullName() + ", or only reads");
        }
        byte[] header = new byte[HEADER_BYTES];
        header[0] = MAGIC;
        INT_AT.set(header, 1, id.intValue());
        return header;
    }

    @Override
    public Schema schema(byte[] value) throws MessageFormatException, SchemaRegistryException {
        if (!isIn(value)) {
            return SINGLE_OBJECT.schema(value);
        }
        int id = (int) INT_AT.get(value, 1);
        Schema schema = last;
        if (schema == null || id != lastId) {
            schema = find(id);
            last = schema;
            lastId = id;
        }
        return schema;
    }

    private Schema find(int id) throws MessageFormatException, SchemaRegistryException {
        Optional<Schema> found = known.get(id);
        if (found == null) {
            found = registry.schema(id).map(SingleObject::fingerprint).map(MessageSchemas::of);
            known.put(id, found);
        }
        if (found.isEmpty()) {
            throw MessageSchemas.unknown(1, "id " + id + " in the schema registry at " + registry.url());
        }
        return found.get();
    }

    @Override
    public int bodyOffset(byte[] value) {
        return isIn(value) ? HEADER_BYTES : SINGLE_OBJECT.bodyOffset(value);
    }
}
