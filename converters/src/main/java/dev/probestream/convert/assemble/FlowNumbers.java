package dev.probestream.convert.assemble;

/** Counts the flows of a trace, whatever they join. */
final class FlowNumbers {
    private long last;

    long next() {
        return ++last;
    }
}
