package dev.probestream.query.report.comparison;

/** A measure of a recording that can be computed again of a resample of its blocks. */
interface BlockStatistic {
    /** How many blocks of equal time. */
    int blocks();

    /**
     * The measure.
     *
     * @param times how often each block counts; 1 for each is the recording itself
     * @return NaN if the chosen blocks hold nothing to measure
     */
    double of(int[] times);

    /** The measure of the recording itself, for people. */
    double plain();

    /** How many observations it rests on. */
    long observations();

    /** The least standard error of its logarithm: what counting or rounding alone leaves open. */
    double leastError();
}
