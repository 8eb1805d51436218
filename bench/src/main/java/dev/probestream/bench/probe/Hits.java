package dev.probestream.bench.probe;

import dev.probestream.bpf.kernel.Link;
import java.io.IOException;

/** One way to have the target hit a probe. */
@FunctionalInterface
interface Hits {
    /**
     * Has it hit so often.
     *
     * @return CPU nanoseconds that all hits together took the hitting thread
     */
    long make(int count) throws IOException;

    /** CPU nanoseconds of one hit while these are attached; then detaches them. */
    default double perHit(int count, Link... attached) throws IOException {
        try {
            return (double) make(count) / count;
        } finally {
            for (Link link : attached) {
                link.close();
            }
        }
    }
}
