package dev.probestream.bench.truth;

import org.jspecify.annotations.Nullable;

/**
 * A statement, opened file or outgoing request in the tables of a recording, with the request that it is given to.
 *
 * @param name the name by which an application orders it ({@link LoggedOrder#name})
 * @param what for a reader: the statement, or probe and path, or URL
 * @param atNs when it began (CLOCK_MONOTONIC)
 * @param sequence of the event; of a client's request its number
 * @param source what the request was found by; empty = the tables do not have it
 * @param waitedNs for a connection; NULL = unknown, or not an outgoing request
 */
record OwnedHit(
        String name,
        String what,
        long atNs,
        long sequence,
        String source,
        @Nullable Owner owner,
        @Nullable Long waitedNs) {
    /** A request that was served. Its URL is NULL if it began before the recording. */
    record Owner(@Nullable String url, long beginNs, long endNs) {}
}
