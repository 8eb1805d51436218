package dev.probestream.convert.assemble;

final class SpanStack {
    static final int MAX_DEPTH = 512;

    private SpanStack() {}
}
