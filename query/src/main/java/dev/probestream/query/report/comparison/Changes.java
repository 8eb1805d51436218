package dev.probestream.query.report.comparison;

import java.util.List;

/**
 * The result of a comparison.
 *
 * @param changes of the program, causes before what they may lead to, the largest first
 * @param byMachine changes that the machine may explain
 * @param conditions what else differed between the recordings, in sentences
 * @param compared how many pairs of measures were compared
 */
record Changes(
        Measured before,
        Measured after,
        List<Change> changes,
        List<Change> byMachine,
        List<String> conditions,
        int compared) {}
