package dev.probestream.convert.assemble;

final class Lanes {
    static final int MAX_LANES = 64;

    private Lanes() {}
}
