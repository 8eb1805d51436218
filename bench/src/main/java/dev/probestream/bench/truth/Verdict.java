package dev.probestream.bench.truth;

/** What a table has of something that a handler ordered. */
enum Verdict {
    RIGHT,
    WRONG,
    /** It is given to no request, or to one whose URL is unknown. */
    UNKNOWN,
    /** The recording does not have it. */
    MISSING
}
