package dev.probestream.sink.finish;

/** The format that a sink writes. */
public enum SinkFormat {
    /** One {@code .pftrace} per segment. */
    PERFETTO,
    /** One {@code .json} per segment. */
    CHROME,
    /** Tables in Hive folders by day and hour. */
    PARQUET;

    /** Whether a segment's files contain losses, sums, gaps and costs, so that each must go into one segment; tables contain all of a capture. */
    public boolean hasLossesInSegments() {
        return switch (this) {
            case PERFETTO, CHROME -> true;
            case PARQUET -> false;
        };
    }
}
