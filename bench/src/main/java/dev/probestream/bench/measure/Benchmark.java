package dev.probestream.bench.measure;

/** Something that can be measured. */
public interface Benchmark {
    /** What a person types after {@code bench/run}. */
    String name();

    /** One line: what is compared with what. */
    String about();

    /**
     * Measures and fills the table, for as long as it takes.
     *
     * @throws Exception when there is nothing to measure on this machine, with what to do about it
     */
    void run(ResultTable table) throws Exception;
}
