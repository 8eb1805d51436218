package dev.probestream.bpf.kernel;

/**
 * A program attached to something. It runs until the link is closed; the kernel also ends it when this process ends,
 * in whatever way.
 */
public interface Link extends AutoCloseable {
    /** Detaches the program, at once as seen by whoever calls; a second time does nothing. */
    @Override
    void close();
}
