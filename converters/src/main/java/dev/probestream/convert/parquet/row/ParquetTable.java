package dev.probestream.convert.parquet.row;

import java.util.Locale;

/** The tables of a folder. */
public enum ParquetTable {
    EVENTS,
    SPANS,
    REQUESTS,
    REQUEST_EVENTS,
    STACKS,
    PROCESSES,
    THREADS,
    PROBES,
    CAPTURES,
    LOSSES,
    HIT_SUMMARIES,
    GAPS,
    COSTS;

    /** Of the folder that holds its files. */
    public String folderName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
