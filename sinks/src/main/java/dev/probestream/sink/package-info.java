/**
 * Kafka to files, exactly once: the records of the topics come in, finished files go out. Must not import: the collector,
 * jnr, picocli; formats are the business of {@code dev.probestream.convert}.
 */
@NullMarked
package dev.probestream.sink;

import org.jspecify.annotations.NullMarked;
