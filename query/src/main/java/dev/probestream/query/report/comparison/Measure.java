package dev.probestream.query.report.comparison;

/** What is measured of a subject, with the least change that matters. */
enum Measure {
    RATE("rate", "per s", 1.25, true, false),
    CALLS("calls", "per request", 1.2, false, true),
    ERRORS("errors", "%", 1.5, false, true),
    MEDIAN("median", "ms", 1.2, true, true),
    CPU_MEDIAN("median CPU time", "ms", 1.2, true, true),
    P95("p95", "ms", 1.3, true, true),
    P99("p99", "ms", 1.4, true, true),
    TIME_PER_REQUEST("time", "ms per request", 1.3, true, true),
    TIME_PER_SECOND("time", "ms per s", 1.3, true, true);

    private final String words;
    private final String unit;
    private final double leastFactor;
    private final boolean isTimed;
    private final boolean isWorseIfMore;

    Measure(String words, String unit, double leastFactor, boolean isTimed, boolean isWorseIfMore) {
        this.words = words;
        this.unit = unit;
        this.leastFactor = leastFactor;
        this.isTimed = isTimed;
        this.isWorseIfMore = isWorseIfMore;
    }

    String words() {
        return words;
    }

    String unit() {
        return unit;
    }

    /** The logarithm of the least factor by which it must change to matter. */
    double leastLogChange() {
        return Math.log(leastFactor);
    }

    /**
     * The logarithm of the factor by which it differs between two recordings of an unchanged program, beyond the noise within
     * each: half of what matters.
     */
    double usualLogChange() {
        return leastLogChange() / 2;
    }

    /** Whether a busy machine changes it. */
    boolean isTimed() {
        return isTimed;
    }

    /** A rate is not: it is what others ask for. */
    boolean isWorseIfMore() {
        return isWorseIfMore;
    }
}
