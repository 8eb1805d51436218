/**
 * A schema registry with the REST API of Confluent's: schemas are registered there under subjects, and found by their ids.
 *
 * <p>Comes in: the registry's URL, the properties of its client, schemas. Goes out: ids, and schemas of ids. Must not
 * import the messages that are framed with the ids.
 */
@NullMarked
package dev.probestream.schema.registry;

import org.jspecify.annotations.NullMarked;
