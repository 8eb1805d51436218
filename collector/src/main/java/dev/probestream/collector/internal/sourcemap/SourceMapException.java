package dev.probestream.collector.internal.sourcemap;

/** A source map that cannot be read. The message holds nothing of its content, which may be of any file. */
final class SourceMapException extends Exception {
    private static final long serialVersionUID = 1;

    SourceMapException(String message) {
        super(message);
    }
}
