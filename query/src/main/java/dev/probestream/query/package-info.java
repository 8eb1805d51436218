/**
 * Opens recordings as a database. In: paths of .avro recordings and folders of Parquet tables; out: a DuckDB connection with
 * their tables. Must not import: the collector, sinks, Kafka, jnr-ffi, picocli. DuckDB and JDBC are
 * used in this package and its subpackages only.
 */
@NullMarked
package dev.probestream.query;

import org.jspecify.annotations.NullMarked;
