package dev.probestream.query;

/**
 * The resource limits of a database.
 *
 * @param memoryBytes of DuckDB's own memory, in addition to the Java heap; larger data is spilled to a temporary folder
 * @param threads at least 1
 */
public record Limits(long memoryBytes, int threads) {
    private static final long GIB = 1L << 30;

    public Limits {
        if (memoryBytes < 1 || threads < 1) {
            throw new IllegalArgumentException("invalid limits: " + memoryBytes + " bytes, " + threads + " threads");
        }
    }

    /** 1 GiB, and as many threads as there are CPUs for this process. */
    public static Limits standard() {
        return new Limits(GIB, Runtime.getRuntime().availableProcessors());
    }
}
