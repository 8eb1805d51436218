package dev.probestream.bench.measure;

import java.util.List;

/** A benchmark. */
public interface Benchmark {
    /** The argument of {@code bench/run}. */
    String name();

    /** A description in one line. */
    String about();

    /** The names of its options without a value. */
    default List<String> flags() {
        return List.of();
    }

    /** The names of its options with a value. */
    default List<String> options() {
        return List.of();
    }

    /**
     * Measures according to the options, and fills the table.
     *
     * @throws Options.WrongUseException if an option has a wrong value
     * @throws Exception as {@link #run(ResultTable)}
     */
    default void run(ResultTable table, Options options) throws Exception {
        run(table);
    }

    /**
     * Measures and fills the table.
     *
     * @throws Exception if this machine cannot run the benchmark; the message contains the remedy
     */
    void run(ResultTable table) throws Exception;
}
