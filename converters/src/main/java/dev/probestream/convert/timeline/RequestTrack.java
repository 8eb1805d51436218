package dev.probestream.convert.timeline;

/**
 * A track of a process on which requests stand.
 *
 * @param title what the track is called
 * @param number unique among the tracks of a process, from 0
 */
record RequestTrack(String title, int number, Kind kind) {
    /** What stands on it. */
    enum Kind {
        HTTP,
        DATABASE,
        CONNECTIONS
    }

    boolean isHttp() {
        return kind == Kind.HTTP;
    }

    boolean isOfDatabase() {
        return kind == Kind.DATABASE;
    }
}
