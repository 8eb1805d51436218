package dev.probestream.query.report.analysis.fact;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Node printed of an error or of a stack:
 *
 * <pre>
 *   node:events:505                                       where it was thrown at last
 *
 *   Error: connect refused                                name and message
 *       at dial (/srv/lib/dial.js:7:9)                    the error's own stack: where it was made
 *   Emitted 'error' event on Socket instance at:
 *       at finish (/srv/lib/dial.js:9:9)                  where the event was emitted
 *     code: 'ECONNREFUSED'
 * </pre>
 *
 * @param message "TypeError: no price"; "" if the text has none
 * @param code "ECONNREFUSED"; "" if the text has none
 * @param thrownAt "lib/price.js:12" or "node:events:505"; "" if the text does not begin with it
 * @param made the error's own stack
 * @param emitted the stack of the 'error' event that had no listener; without frames if there was no such event
 * @param isEmitted whether the error was that of an 'error' event without a listener
 * @param emitter class of the object of this event: "Socket"; "" if it is not known
 */
public record ErrorText(
        String message, String code, String thrownAt, Frames made, Frames emitted, boolean isEmitted, String emitter) {
    /**
     * Functions of a stack, the innermost first: "price (lib/price.js:12)".
     *
     * @param all the application's, with installed packages
     * @param own the same without those of installed packages
     * @param runtime Node's own: "socketOnEnd (node:_http_client:790)"
     */
    public record Frames(List<String> all, List<String> own, List<String> runtime) {
        private Frames copy() {
            return new Frames(List.copyOf(all), List.copyOf(own), List.copyOf(runtime));
        }
    }

    /** {@code at NAME (FILE:LINE:COLUMN)} of an error, {@code 1: NAME (FILE:LINE:COLUMN)} of process.abort(). */
    private static final Pattern FRAME = Pattern.compile(
            "\\s*(?:at|\\d+:) (?:(?:async )?(.+?)(?: \\[as [^\\]]*\\])? \\()?((?:(?:file://)?/|node:)[^()]*?):(\\d+):\\d+\\)?(?: \\*\\*\\*)?");

    /** A line of a stack of any kind, also of V8's own functions. */
    private static final Pattern ANY_FRAME = Pattern.compile("(?:\\s+at |\\d+: ).*");

    /** "undefined" and "&lt;anonymous_script&gt;" are texts that were parsed, such as that of JSON.parse. */
    private static final Pattern PLACE = Pattern.compile(
            "((?:file://)?/.*|node:\\S+|undefined|evalmachine\\.\\S*|[<\\[]\\S+[>\\]](?:-wrapper)?):(\\d+)");

    private static final Pattern EMITTED = Pattern.compile("Emitted 'error' event(?: on (\\S+) instance)? at:");
    private static final Pattern CODE = Pattern.compile("  code: '([^']+)'");

    /** Made by Node's inspect() of an error whose class is of another thread. */
    private static final String FOREIGN_CLASS = " [Error]:";

    private static final String PACKAGES = "/node_modules/";
    private static final String NODE = "node:";

    public static ErrorText of(String text) {
        String message = "";
        String code = "";
        String thrownAt = "";
        String emitter = "";
        Frames made = noFrames();
        Frames emitted = noFrames();
        boolean isEmitted = false;
        boolean isFirst = true;
        for (String line : text.lines().filter(each -> !each.isBlank()).toList()) {
            Matcher frame = FRAME.matcher(line);
            Matcher place = PLACE.matcher(line);
            Matcher event = EMITTED.matcher(line);
            Matcher property = CODE.matcher(line);
            if (frame.matches()) {
                add(isEmitted ? emitted : made, frame);
            } else if (event.matches()) {
                isEmitted = true;
                emitter = event.group(1) == null ? "" : event.group(1);
            } else if (isFirst && place.matches()) {
                thrownAt = place.group(1).matches("(?:file:/)?/.*|node:.*")
                        ? shortFile(place.group(1)) + ":" + place.group(2)
                        : "";
            } else if (!message.isEmpty() && property.matches()) {
                code = property.group(1);
            } else if (message.isEmpty() && !ANY_FRAME.matcher(line).matches()) {
                message = line.strip().replaceFirst(Pattern.quote(FOREIGN_CLASS), ":");
            }
            isFirst = false;
        }
        return new ErrorText(message, code, thrownAt, made.copy(), emitted.copy(), isEmitted, emitter);
    }

    private static Frames noFrames() {
        return new Frames(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    private static void add(Frames frames, Matcher frame) {
        String name = frame.group(1) == null ? "(anonymous)" : frame.group(1);
        String file = frame.group(2);
        String function = name + " (" + shortFile(file) + ":" + frame.group(3) + ")";
        if (file.startsWith(NODE)) {
            frames.runtime.add(function);
            return;
        }
        frames.all.add(function);
        if (!file.contains(PACKAGES)) {
            frames.own.add(function);
        }
    }

    /** The folder and the name of the file identify it; files of Node keep their names. */
    private static String shortFile(String file) {
        String[] parts = file.split("/");
        return parts.length < 2 || file.startsWith(NODE)
                ? file
                : parts[parts.length - 2] + "/" + parts[parts.length - 1];
    }

    /** The application's innermost function of the error's own stack, else the application's place of the throw, else "". */
    public String place() {
        if (!made.all.isEmpty()) {
            return made.all.get(0);
        }
        return thrownAt.startsWith(NODE) ? "" : thrownAt;
    }

    /** Where in the application the error was thrown, or its event emitted, if that is not {@link #place()}; else "". */
    public String passedOnIn() {
        if (isEmitted) {
            String function = emitted.all.isEmpty() ? "" : emitted.all.get(0);
            return function.equals(place()) ? "" : function;
        }
        boolean isSame = thrownAt.startsWith(NODE) || made.all.isEmpty() || place().endsWith("(" + thrownAt + ")");
        return isSame ? "" : thrownAt;
    }

    /** Node's innermost function of the error's own stack; "" if there is none. */
    public String runtimePlace() {
        return made.runtime.isEmpty() ? "" : made.runtime.get(0);
    }

    /** The innermost function that is not of an installed package; "" if that is the innermost one, or unknown. */
    public String ownCaller() {
        return made.own.isEmpty() || made.own.get(0).equals(place()) ? "" : made.own.get(0);
    }
}
