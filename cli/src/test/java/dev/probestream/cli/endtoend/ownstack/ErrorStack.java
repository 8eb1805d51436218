package dev.probestream.cli.endtoend.ownstack;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of {@code Error.stack}, as V8's {@code SerializeCallSiteInfo} writes it (v8/src/objects/call-site-info.cc). */
final class ErrorStack {
    private static final String START = "    at ";
    private static final String ASYNC = "async ";
    private static final String NEW = "new ";
    private static final Pattern PLACE = Pattern.compile("(.*):(\\d+):(\\d+)", Pattern.DOTALL);
    private static final Pattern ALIAS = Pattern.compile(" \\[as [^\\]]*(?:\\]|\\]\\])$");

    private ErrorStack() {}

    /**
     * A line of the text.
     *
     * @param name as it stands there, with the receiver's type, without {@code async}, {@code new} and {@code [as x]}; "" of an
     *     anonymous function
     * @param isAnonymous whether the function has no name; the text then has the property by which it was called, if any
     * @param file "" for code of {@code eval} and for what is written in no file, such as Array.map and Promise.all
     * @param line of the call, from 1; 0 of what is written in no file
     */
    record Line(String name, boolean isAnonymous, boolean isAsync, String file, int line, int column) {
        /** Array.map and others of V8's own functions; a recorded stack need not have them. */
        boolean isBuiltIn() {
            return line == 0 && !isAsync;
        }

        /** Whether this is how V8 shows a function of this name in a call of any receiver. */
        boolean isOf(String function) {
            if (name.equals(function)) {
                return true;
            }
            // V8 calls code that was made from text so if it has no name.
            boolean isEval = file.isEmpty() && (name.equals("eval") || name.endsWith(".eval"));
            // Foo.method, and Object..js of a function that was assigned to extensions['.js'].
            return function.isEmpty() ? isAnonymous || isEval : name.endsWith("." + function);
        }

        /** The same in each copy of the file. */
        String place() {
            return name + ":" + line + ":" + column;
        }

        @Override
        public String toString() {
            return (isAsync ? ASYNC : "") + name + " (" + file + ":" + line + ":" + column + ")";
        }
    }

    /** @param anonymous which of the frames have functions without a name ({@code CallSite.getFunctionName}) */
    static List<Line> parse(String text, List<Boolean> anonymous) {
        List<Line> lines = new ArrayList<>();
        for (String line : text.split("\n")) {
            if (line.startsWith(START)) {
                lines.add(line(line.substring(START.length()), anonymous.get(lines.size())));
            }
        }
        return lines;
    }

    private static Line line(String text, boolean isAnonymous) {
        boolean isAsync = text.startsWith(ASYNC);
        String rest = isAsync ? text.substring(ASYNC.length()) : text;
        int open = rest.endsWith(")") ? rest.indexOf(" (") : -1;
        String name = open < 0 ? "" : rest.substring(0, open);
        String location = open < 0 ? rest : rest.substring(open + 2, rest.length() - 1);
        name = ALIAS.matcher(name).replaceFirst("");
        name = name.startsWith(NEW) ? name.substring(NEW.length()) : name;
        boolean isEval = location.startsWith("eval at ");
        if (isEval) {
            location = location.substring(location.lastIndexOf(", ") + 2);
        }
        Matcher place = PLACE.matcher(location);
        if (!place.matches()) {
            return new Line(name, isAnonymous, isAsync, "", 0, 0);
        }
        String file = place.group(1).equals("<anonymous>") ? "" : place.group(1);
        return new Line(
                name, isAnonymous, isAsync, file, Integer.parseInt(place.group(2)), Integer.parseInt(place.group(3)));
    }
}
