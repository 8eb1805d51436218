package dev.probestream.bench.measure;

/** A benchmark. */
public interface Benchmark {
    /** The argument of {@code bench/run}. */
    String name();

    /** A description in one line. */
    String about();

    /**
     * Measures and fills the table.
     *
     * @throws Exception if this machine cannot run the benchmark; the message contains the remedy
     */
    void run(ResultTable table) throws Exception;
}
