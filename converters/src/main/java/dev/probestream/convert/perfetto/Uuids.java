package dev.probestream.convert.perfetto;

/** Hands out track uuids: small numbers, so that they are short; 0 is not a track. */
final class Uuids {
    private long last;

    long next() {
        return ++last;
    }
}
