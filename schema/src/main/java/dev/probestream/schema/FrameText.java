package dev.probestream.schema;

import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;

/**
 * The text of a frame, for every output.
 *
 * <pre>
 *   function        readConfig · async load · (anonymous) · "" if no symbol covers the address
 *   place           /app/a.js:14 · /app/dist/a.js:14, source /app/src/a.ts:33      the line of the call
 *   functionPlace   /app/a.js:12                                                   the line where the function begins
 *   address         libc.so.6+0x2a1ca · 0x7f0000001000
 * </pre>
 *
 * The place is that of a frame in one stack: the line of the call, or where the function begins if the call is unknown.
 * Frames that are counted together are those of one function, so they have the place of the function.
 */
public final class FrameText {
    /** What a function of JavaScript without a name is called. */
    public static final String ANONYMOUS = "(anonymous)";

    private static final String ASYNC = "async ";

    private FrameText() {}

    /**
     * Returns the name of the function.
     *
     * @param frame a frame of a stack
     * @return the symbol, {@value #ANONYMOUS}, or "" if no symbol covers the address; after {@code async} if the function
     *     awaits the one that is called
     */
    public static String function(Frame frame) {
        String symbol = symbol(frame);
        return frame.getIsAsync() ? ASYNC + symbol : symbol;
    }

    /**
     * Returns the symbol of a frame, also of a function that has no name.
     *
     * @param frame a frame of a stack
     * @return the symbol, {@value #ANONYMOUS}, or "" if no symbol covers the address
     */
    public static String symbol(Frame frame) {
        return isAnonymous(frame) ? ANONYMOUS : frame.getSymbol();
    }

    /**
     * Returns whether a frame is known to be of a function that has no name; other frames without a symbol are unknown.
     *
     * @param frame a frame of a stack
     * @return whether it is JavaScript without a name, but with a file or a line
     */
    public static boolean isAnonymous(Frame frame) {
        return frame.getSymbol().isEmpty()
                && frame.getKind() == FrameKind.JS
                && (!frame.getFile().isEmpty() || frame.getLine() != 0);
    }

    /**
     * Returns where the frame is in the source: the line of the call if it is known, and that line by the source map.
     *
     * @param frame a frame of a stack
     * @return {@code file:line}, {@code file}, or "" if the source is unknown
     */
    public static String place(Frame frame) {
        String place = place(frame.getFile(), frame.getCallLine() == 0 ? frame.getLine() : frame.getCallLine());
        if (frame.getSourceFile().isEmpty()) {
            return place;
        }
        return place + ", source " + place(frame.getSourceFile(), frame.getSourceLine());
    }

    /**
     * Returns where the function begins.
     *
     * @param frame a frame of a stack
     * @return {@code file:line}, {@code file}, or "" if the source is unknown
     */
    public static String functionPlace(Frame frame) {
        return place(frame.getFile(), frame.getLine());
    }

    /**
     * Returns where the code of the frame is.
     *
     * @param frame a frame of a stack
     * @return {@code libc.so.6+0x2a1ca}, or the address alone if the code is no file's
     */
    public static String address(Frame frame) {
        String module = frame.getModule();
        String file = module.substring(module.lastIndexOf('/') + 1);
        String hex = "0x" + Long.toHexString(frame.getOffset());
        return file.isEmpty() ? hex : file + "+" + hex;
    }

    private static String place(String file, int line) {
        return file.isEmpty() || line == 0 ? file : file + ":" + line;
    }
}
