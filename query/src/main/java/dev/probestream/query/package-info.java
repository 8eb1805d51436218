/**
 * Recordings as a database: paths of .avro recordings and of folders of Parquet tables come in, a DuckDB connection on
 * which all of them are tables goes out. Must not import: the collector, sinks, Kafka, jnr, picocli. DuckDB and JDBC are
 * known here and below only.
 */
@NullMarked
package dev.probestream.query;

import org.jspecify.annotations.NullMarked;
