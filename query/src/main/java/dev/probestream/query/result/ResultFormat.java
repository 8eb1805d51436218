package dev.probestream.query.result;

/** What rows are written as. */
public enum ResultFormat {
    /** For a person, see {@link TableWriter}. */
    TABLE,
    /** See {@link CsvWriter}. */
    CSV,
    /** An object per line, see {@link JsonLinesWriter}. */
    JSON,
    /** A file that DuckDB writes by itself. */
    PARQUET
}
