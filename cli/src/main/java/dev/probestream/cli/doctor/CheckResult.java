package dev.probestream.cli.doctor;

/**
 * What was found about one feature.
 *
 * @param feature a name that stays the same from version to version, so that scripts can look for it
 * @param found what is there, in words
 * @param remedy what to do about it; empty when there is nothing to do
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

    /** How well a feature serves recording. */
    enum Status {
        /** It is there. */
        OK,
        /** Recording works, but something is left out or slower. */
        LIMITED,
        /** Recording is not possible without it. */
        MISSING
    }
}
