package dev.probestream.schema;

import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;

/** Makes frames of which less is known than a {@link Frame} can hold; the rest has the schema's default values. */
public final class Frames {
    private Frames() {}

    /**
     * Makes a frame without a place in a source.
     *
     * @param symbol see {@link Frame#getSymbol}
     * @param module see {@link Frame#getModule}
     * @param offset see {@link Frame#getOffset}
     * @param kind whose code it is
     * @return the frame
     */
    public static Frame of(String symbol, String module, long offset, FrameKind kind) {
        return of(symbol, module, offset, kind, "", 0);
    }

    /**
     * Makes a frame of which the beginning of the function is known.
     *
     * @param symbol see {@link Frame#getSymbol}
     * @param module see {@link Frame#getModule}
     * @param offset see {@link Frame#getOffset}
     * @param kind whose code it is
     * @param file path or URL of the source, "" = unknown
     * @param line where the function begins in the file, from 1; 0 = unknown
     * @return the frame
     */
    public static Frame of(String symbol, String module, long offset, FrameKind kind, String file, int line) {
        return new Frame(symbol, module, offset, kind, file, line, 0, 0, 0, false, false, "", 0);
    }
}
