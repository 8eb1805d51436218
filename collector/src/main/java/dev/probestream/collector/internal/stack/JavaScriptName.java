package dev.probestream.collector.internal.stack;

import dev.probestream.schema.FrameText;
import java.util.Optional;
import java.util.Set;

/**
 * The parsed name that V8 gives to code compiled from JavaScript. Format (CodeEventLogger in src/logging/log.cc;
 * checked with the perf maps of Node 18, 20, 22 and 24):
 *
 * <pre>
 *   KIND ':' TIER FUNCTION ' ' FILE ':' LINE [':' COLUMN]     JS:^get x /app/my lib/x.js:6:110
 *   KIND      LazyCompile and Function (Node 18), JS (20 and later), Script, Eval
 *   TIER      ~ interpreted, ^ baseline, + Maglev, * TurboFan; then ' if compiled for one context (24)
 *   FUNCTION  may be empty, and may hold blanks: get x, GET /users
 *   FILE      path, URL (file:, node:), name of a script (evalmachine.&lt;anonymous&gt;), or empty; may hold blanks
 *   COLUMN    not on Node 18
 *
 *   RegExp:SOURCE, RegExp.> src: 'SOURCE' flags: '' (24)      a compiled regular expression
 *   KIND ':' NAME '-' INDEX '-' TIER                          JS:wasm-function[1]-1-liftoff, of WebAssembly
 * </pre>
 *
 * FUNCTION ends before the last blank that is followed by a path or a URL; if there is none, before the last blank. The
 * result is as the process's memory has it, except for a source that has its name from a comment {@code //# sourceURL=}: it
 * is not in the perf map.
 *
 * @param function V8's name of the function; {@value #UNNAMED} if it has none; for other code the unparsed name
 * @param file path, URL or name of the source; {@value #NO_FILE} if it has none; "" = unknown
 * @param line in the file, from 1; 0 = unknown
 * @param column in the line, from 1; 0 = unknown
 */
record JavaScriptName(String function, String file, int line, int column) {
    static final String UNNAMED = FrameText.ANONYMOUS;
    /** As {@code Error.stack} calls the source of an eval, of which the perf map has no name. */
    private static final String NO_FILE = "<anonymous>";

    private static final String REGULAR_EXPRESSION = "RegExp";
    private static final Set<String> KINDS = Set.of("JS", "LazyCompile", "Function", "Script", "Eval");
    private static final String TIERS = "~^+*";
    private static final String SCHEME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789+.-";
    private static final int MAX_DIGITS = 9;

    /** Empty for code that was not compiled from JavaScript and for code of other run-times. */
    static Optional<JavaScriptName> parse(String name) {
        if (name.startsWith(REGULAR_EXPRESSION + ":") || name.startsWith(REGULAR_EXPRESSION + ".>")) {
            return Optional.of(new JavaScriptName(name, "", 0, 0));
        }
        int colon = name.indexOf(':');
        if (colon < 0 || !KINDS.contains(name.substring(0, colon))) {
            return Optional.empty();
        }
        return Optional.of(ofFunction(withoutTier(name.substring(colon + 1))));
    }

    private static String withoutTier(String text) {
        int start = !text.isEmpty() && TIERS.indexOf(text.charAt(0)) >= 0 ? 1 : 0;
        return text.substring(start == 1 && text.startsWith("'", 1) ? 2 : start);
    }

    private static JavaScriptName ofFunction(String text) {
        int locationEnd = numberStart(text, text.length());
        if (locationEnd < 0) {
            return new JavaScriptName(named(text), "", 0, 0);
        }
        int lineEnd = text.length();
        int lineColon = locationEnd;
        int column = 0;
        int before = numberStart(text, locationEnd);
        if (before >= 0) { // the first number found is the column
            column = Integer.parseInt(text.substring(locationEnd + 1));
            lineEnd = locationEnd;
            lineColon = before;
        }
        String functionAndFile = text.substring(0, lineColon);
        int blank = blankBeforeFile(functionAndFile);
        String file = functionAndFile.substring(blank + 1);
        return new JavaScriptName(
                named(functionAndFile.substring(0, Math.max(0, blank))),
                file.isEmpty() ? NO_FILE : file,
                Integer.parseInt(text.substring(lineColon + 1, lineEnd)),
                column);
    }

    private static String named(String function) {
        return function.isEmpty() ? UNNAMED : function;
    }

    /** Index of the colon before the digits that end at {@code end}; -1 if there is none. */
    private static int numberStart(String text, int end) {
        int at = end;
        while (at > 0 && text.charAt(at - 1) >= '0' && text.charAt(at - 1) <= '9') {
            at--;
        }
        boolean isNumber = at < end && end - at <= MAX_DIGITS && at > 0 && text.charAt(at - 1) == ':';
        return isNumber ? at - 1 : -1;
    }

    private static int blankBeforeFile(String text) {
        if (text.startsWith(" ")) {
            return 0; // no function
        }
        int last = text.lastIndexOf(' ');
        if (last == text.length() - 1) {
            return last; // no file
        }
        for (int blank = last; blank >= 0; blank = text.lastIndexOf(' ', blank - 1)) {
            if (isAbsolute(text, blank + 1)) {
                return blank;
            }
        }
        return last;
    }

    /** Whether an absolute path or the scheme of a URL begins at {@code start}. */
    private static boolean isAbsolute(String text, int start) {
        int at = start;
        while (at < text.length() && SCHEME_CHARACTERS.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return text.startsWith("/", start) || (at > start && text.startsWith(":", at));
    }
}
