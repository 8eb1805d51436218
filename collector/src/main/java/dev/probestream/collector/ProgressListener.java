package dev.probestream.collector;

/** Hears a few times a second how a collection goes; called by the collecting thread, so it must be quick. */
@FunctionalInterface
public interface ProgressListener {

    void progress(CollectionProgress progress);
}
