package dev.probestream.bench.query;

/** What is asked of the tables, through our relations and by hand over the files ({@code $FOLDER}). */
enum QueryQuestion {
    GROUPS(
            "events by probe, with the 99th percentile of an argument",
            "SELECT probe, count(*), quantile_disc(a0, 0.99) FROM events GROUP BY probe",
            "SELECT probe, count(*), quantile_disc(a0, 0.99) FROM '$FOLDER/events/**/*.parquet' GROUP BY probe"),
    PATHS(
            "spans by path, the longest together",
            "SELECT s0, count(*), sum(duration_ns) FROM spans GROUP BY s0 ORDER BY 3 DESC LIMIT 20",
            "SELECT s0, count(*), sum(duration_ns) FROM '$FOLDER/spans/**/*.parquet' GROUP BY s0 ORDER BY 3 DESC LIMIT 20"),
    SLOWEST(
            "--view slowest-requests",
            "view slowest-requests",
            "SELECT ts, method, url, status, duration_ns, javascript_ns FROM '$FOLDER/requests/**/*.parquet'"
                    + " ORDER BY duration_ns DESC LIMIT 20"),
    ONE_MINUTE(
            "events by probe, of one minute",
            "SELECT probe, count(*) FROM events GROUP BY probe",
            "SELECT probe, count(*) FROM '$FOLDER/events/day=2026-01-02/hour=0/*.parquet'"
                    + " WHERE ts >= TIMESTAMPTZ '2026-01-02 00:10:00+00' AND ts < TIMESTAMPTZ '2026-01-02 00:11:00+00' GROUP BY probe"),
    SPANS_OF_EVENTS(
            "events by their innermost span, of 4 nested",
            "SELECT s.probe, count(*) FROM event_span e"
                    + " JOIN spans s ON s.capture_id = e.capture_id AND s.sequence = e.span_sequence GROUP BY s.probe",
            // Only possible where one level of spans is enough, and does not overlap.
            "SELECT s.probe, count(*) FROM '$FOLDER/events/**/*.parquet' e ASOF JOIN ("
                    + "SELECT tid, mono_ns, duration_ns, probe FROM '$FOLDER/spans/**/*.parquet' WHERE probe = 'span 3') s"
                    + " ON s.tid = e.tid AND s.mono_ns <= e.mono_ns"
                    + " WHERE e.mono_ns < s.mono_ns + s.duration_ns GROUP BY s.probe"),
    SPANS_BY_INTERVALS(
            "events by their innermost span (by hand a join by intervals)",
            SPANS_OF_EVENTS.ours,
            "SELECT probe, count(*) FROM (SELECT e.sequence, arg_max(s.probe, s.mono_ns) AS probe"
                    + " FROM '$FOLDER/events/**/*.parquet' e JOIN '$FOLDER/spans/**/*.parquet' s"
                    + " ON s.capture_id = e.capture_id AND s.tid = e.tid"
                    + " AND s.mono_ns <= e.mono_ns AND e.mono_ns < s.mono_ns + s.duration_ns GROUP BY e.sequence)"
                    + " GROUP BY probe");

    private final String about;
    private final String ours;
    private final String byHand;

    QueryQuestion(String about, String ours, String byHand) {
        this.about = about;
        this.ours = ours;
        this.byHand = byHand;
    }

    String about() {
        return about;
    }

    /** SQL, or {@code view NAME}. */
    String ours() {
        return ours;
    }

    String byHand() {
        return byHand;
    }

    /** Ours is asked with a window; a person writes the times. */
    boolean isOfOneMinute() {
        return this == ONE_MINUTE;
    }
}
