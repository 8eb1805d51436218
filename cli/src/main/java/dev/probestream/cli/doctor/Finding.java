package dev.probestream.cli.doctor;

/**
 * What was found about one feature.
 *
 * @param feature a name that stays the same from version to version, so that scripts can look for it
 * @param found what is there, in words
 * @param remedy what to do about it; empty when there is nothing to do
 */
public record Finding(String feature, Status status, String found, String remedy) {
    static Finding ok(String feature, String found) {
        return new Finding(feature, Status.OK, found, "");
    }

    static Finding limited(String feature, String found, String remedy) {
        return new Finding(feature, Status.LIMITED, found, remedy);
    }

    static Finding missing(String feature, String found, String remedy) {
        return new Finding(feature, Status.MISSING, found, remedy);
    }
}
