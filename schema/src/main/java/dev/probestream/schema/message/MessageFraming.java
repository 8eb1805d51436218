package dev.probestream.schema.message;

import dev.probestream.schema.registry.SchemaRegistryException;
import org.apache.avro.Schema;

/**
 * The bytes in front of the record in a message's value, by which readers find its schema. Not for several threads.
 */
public interface MessageFraming {
    /** Avro's single-object encoding, which needs no registry. */
    MessageFraming SINGLE_OBJECT = new SingleObject();

    /**
     * {@return the header of the records of a schema, in a new array of at most ten bytes}
     *
     * @param schema that messages are written with
     */
    byte[] header(Schema schema);

    /**
     * {@return the schema of the record in a value: one that messages of this version are written with}
     *
     * @param value of a message
     * @throws MessageFormatException if it is not a message, or its schema is unknown
     * @throws SchemaRegistryException if the schema is in a registry that cannot be used, or that was not given
     */
    Schema schema(byte[] value) throws MessageFormatException, SchemaRegistryException;

    /**
     * {@return where the record begins}
     *
     * @param value whose schema was found
     */
    int bodyOffset(byte[] value);
}
