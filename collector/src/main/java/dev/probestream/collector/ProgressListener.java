package dev.probestream.collector;

/** Hears a few times a second how a collection goes; called by the collecting thread, so it must be quick. */
@FunctionalInterface
public interface ProgressListener {

    /**
     * @param deliveredEvents events published so far
     * @param lostEvents hits counted as lost so far
     * @param publishedBytes bytes that left for the medium so far
     */
    void progress(long deliveredEvents, long lostEvents, long publishedBytes);
}
