package dev.probestream.cli.doctor;

/**
 * The result of one check.
 *
 * @param feature a stable name that scripts can search for
 * @param found a description of what was found
 * @param remedy what to do; empty if nothing is to be done
 */
record CheckResult(String feature, Status status, String found, String remedy) {
    static CheckResult ok(String feature, String found) {
        return new CheckResult(feature, Status.OK, found, "");
    }

    static CheckResult limited(String feature, String found, String remedy) {
        return new CheckResult(feature, Status.LIMITED, found, remedy);
    }

    static CheckResult missing(String feature, String found, String remedy) {
        return new CheckResult(feature, Status.MISSING, found, remedy);
    }

    /** Whether a feature is available. */
    enum Status {
        /** The feature is available. */
        OK,
        /** Recording works, with restrictions. */
        LIMITED,
        /** Recording is not possible without it. */
        MISSING
    }
}
