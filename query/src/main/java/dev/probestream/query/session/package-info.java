/**
 * Runs SQL on opened recordings. In: statements; out: rows, to a writer of {@code query.result} while DuckDB computes them,
 * or to a Parquet file. Must not import: the report, picocli.
 */
@NullMarked
package dev.probestream.query.session;

import org.jspecify.annotations.NullMarked;
