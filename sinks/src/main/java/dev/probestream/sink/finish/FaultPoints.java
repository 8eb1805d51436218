package dev.probestream.sink.finish;

/** Is told before each step that leaves something behind for good: a test ends the sink there, as a crash would. */
@FunctionalInterface
public interface FaultPoints {
    /** Goes on. */
    FaultPoints ALL = step -> {};

    void before(Step step);

    /** In the order in which they are taken, for each slice. */
    enum Step {
        /** The slice is closed and its metadata is there. */
        CONVERT,
        /** Its files are whole, aside. */
        PLACE_FIRST_FILE,
        /** Some of its files are in their places. */
        PLACE_ANOTHER_FILE,
        /** All are. */
        WRITE_POSITION,
        /** The position says so. */
        DELETE_SPOOL,
        /** The broker is to be told. */
        COMMIT
    }
}
