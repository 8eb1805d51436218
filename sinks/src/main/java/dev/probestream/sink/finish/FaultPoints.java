package dev.probestream.sink.finish;

/** Called before each step with a durable effect; a test throws here to end the sink as a crash would. */
@FunctionalInterface
public interface FaultPoints {
    /** Does nothing. */
    FaultPoints NONE = step -> {};

    void before(Step step);

    /** The steps for each segment, in order. */
    enum Step {
        /** The segment is closed and its metadata has arrived. */
        CONVERT,
        /** Its files are complete in the staging folder. */
        PLACE_FIRST_FILE,
        /** Some of its files are in place. */
        PLACE_ANOTHER_FILE,
        /** All of its files are in place. */
        WRITE_POSITION,
        /** The position file records them. */
        DELETE_SPOOL,
        /** The spool is deleted; the offset is not committed yet. */
        COMMIT
    }
}
