package dev.probestream.bpf.kernel;

/**
 * A program attached to something. It runs until the link is closed; the kernel also detaches it when this process ends
 * for any reason.
 */
public interface Link extends AutoCloseable {
    /** Detaches the program before it returns; a second time does nothing. */
    @Override
    void close();
}
