package dev.probestream.query.report.analysis.fact;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Node printed of an error or of a stack: {@code FILE:LINE} of the throw, the message, and lines of the stack.
 *
 * @param message "TypeError: no price"; "" if the text has none
 * @param thrownAt "lib/price.js:12"; "" if the text does not begin with it
 * @param frames the application's functions, the innermost first: "price (lib/price.js:12)"
 * @param own the same without those of installed packages
 */
public record ErrorText(String message, String thrownAt, List<String> frames, List<String> own) {
    /** {@code at NAME (FILE:LINE:COLUMN)} of an error, {@code 1: NAME (FILE:LINE:COLUMN)} of process.abort(). */
    private static final Pattern FRAME =
            Pattern.compile("\\s*(?:at|\\d+:) (?:(?:async )?(.+?) \\()?((?:file://)?/[^()]*?):(\\d+):\\d+\\)?");

    /** A line of a stack of any kind, also of Node's own functions. */
    private static final Pattern ANY_FRAME = Pattern.compile("(?:\\s+at |\\d+: ).*");

    private static final Pattern PLACE = Pattern.compile("((?:file://)?/[^\\n]*):(\\d+)");
    private static final String PACKAGES = "/node_modules/";

    public static ErrorText of(String text) {
        String message = "";
        String thrownAt = "";
        List<String> frames = new ArrayList<>();
        List<String> own = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher frame = FRAME.matcher(line);
            Matcher place = PLACE.matcher(line);
            if (frame.matches()) {
                String name = frame.group(1) == null ? "(anonymous)" : frame.group(1);
                String function = name + " (" + shortFile(frame.group(2)) + ":" + frame.group(3) + ")";
                frames.add(function);
                if (!frame.group(2).contains(PACKAGES)) {
                    own.add(function);
                }
            } else if (message.isEmpty()
                    && !line.isBlank()
                    && !ANY_FRAME.matcher(line).matches()) {
                if (thrownAt.isEmpty() && place.matches()) {
                    thrownAt = shortFile(place.group(1)) + ":" + place.group(2);
                } else {
                    message = line.strip();
                }
            }
        }
        return new ErrorText(message, thrownAt, List.copyOf(frames), List.copyOf(own));
    }

    /** The folder and the name of the file identify it. */
    private static String shortFile(String file) {
        String[] parts = file.split("/");
        return parts.length < 2 ? file : parts[parts.length - 2] + "/" + parts[parts.length - 1];
    }

    /** The innermost function, else the place of the throw, else "". */
    public String place() {
        return frames.isEmpty() ? thrownAt : frames.get(0);
    }

    /** The innermost function that is not of an installed package; "" if that is the innermost one, or unknown. */
    public String ownCaller() {
        return own.isEmpty() || own.get(0).equals(place()) ? "" : own.get(0);
    }
}
