package dev.probestream.bench.truth;

import java.util.List;

/**
 * A callback of the loop, as the recording has it.
 *
 * @param beginNs CLOCK_MONOTONIC
 * @param endNs CLOCK_MONOTONIC
 */
record Callback(long beginNs, long endNs) {
    /** When the callback ends that runs at a time; that time if there is none. Of nested ones the outermost counts. */
    static long end(List<Callback> callbacks, long atNs) {
        return callbacks.stream()
                .filter(each -> each.beginNs <= atNs && each.endNs >= atNs)
                .mapToLong(Callback::endNs)
                .max()
                .orElse(atNs);
    }
}
