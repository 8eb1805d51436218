package dev.probestream.sink.finish;

/** What a sink writes. */
public enum SinkFormat {
    /** One {@code .pftrace} per slice. */
    PERFETTO,
    /** One {@code .json} per slice. */
    CHROME,
    /** Tables in Hive folders by day and hour. */
    PARQUET;

    /** Whether losses stand in the files of a slice, and so must be in one of them only; a table holds all of them. */
    public boolean hasLossesInSlices() {
        return switch (this) {
            case PERFETTO, CHROME -> true;
            case PARQUET -> false;
        };
    }
}
