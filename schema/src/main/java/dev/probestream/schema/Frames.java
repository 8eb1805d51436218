package dev.probestream.schema;

import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;

/** Makes frames, also those of which less is known than a {@link Frame} can hold. */
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

    /**
     * Makes another frame of the same values. Avro's builders cannot: they ask for the class of {@link FrameKind} by name.
     *
     * @param frame what to copy
     * @return the frame
     */
    public static Frame copyOf(Frame frame) {
        return new Frame(
                frame.getSymbol(),
                frame.getModule(),
                frame.getOffset(),
                frame.getKind(),
                frame.getFile(),
                frame.getLine(),
                frame.getColumn(),
                frame.getCallLine(),
                frame.getCallColumn(),
                frame.getIsInlined(),
                frame.getIsAsync(),
                frame.getSourceFile(),
                frame.getSourceLine());
    }
}
