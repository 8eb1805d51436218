package dev.probestream.query.result;

/** The output format of rows. */
public enum ResultFormat {
    /** For reading, see {@link TableWriter}. */
    TABLE,
    /** See {@link CsvWriter}. */
    CSV,
    /** An object per line, see {@link JsonLinesWriter}. */
    JSON,
    /** A file that DuckDB writes. */
    PARQUET
}
