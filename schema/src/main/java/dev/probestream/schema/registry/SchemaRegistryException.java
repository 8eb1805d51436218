package dev.probestream.schema.registry;

import java.io.IOException;

/** A schema registry is needed and cannot be used. The message names what was tried, the reason, and what to do. */
public final class SchemaRegistryException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with this message, without a cause.
     *
     * @param message without a secret
     */
    public SchemaRegistryException(String message) {
        super(message);
    }
}
