package dev.probestream.bpf.tracefs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fields in the record of a tracepoint, read from {@code events/CATEGORY/EVENT/format}
 * (Documentation/trace/events.rst, "Event formats").
 *
 * @param name the event
 * @param id what perf_event_open(2) takes as the config of a tracepoint
 * @param fields in order, without the common ones that every record begins with
 */
public record TracepointFormat(String name, int id, List<TracepointField> fields) {
    private static final Pattern FIELD =
            Pattern.compile("\\s*field:(.+);\\s*offset:(\\d{1,9});\\s*size:(\\d{1,9});(?:\\s*signed:([01]);)?\\s*");
    private static final String COMMON = "common_";

    public TracepointFormat {
        fields = List.copyOf(fields);
    }

    /**
     * Reads the text of a format file.
     *
     * @param file the name of the text in errors
     * @param text what to read
     * @return the format
     * @throws TracepointFormatException when the text is malformed, with the line
     */
    public static TracepointFormat parse(String file, String text) {
        String name = "";
        int id = -1;
        List<TracepointField> fields = new ArrayList<>();
        int lineNumber = 0;
        for (String line : text.split("\n", -1)) {
            lineNumber++;
            if (line.startsWith("name: ")) {
                name = line.substring("name: ".length()).strip();
            } else if (line.startsWith("ID: ")) {
                id = number(file, lineNumber, line.substring("ID: ".length()).strip());
            } else if (line.stripLeading().startsWith("field:")) {
                TracepointField field = field(file, lineNumber, line);
                if (!field.name().startsWith(COMMON)) {
                    fields.add(field);
                }
            } else if (line.startsWith("print fmt:")) {
                break;
            }
        }
        if (name.isEmpty() || id < 0) {
            throw new TracepointFormatException(file, lineNumber, "expected a line 'name: …' and a line 'ID: …'");
        }
        return new TracepointFormat(name, id, fields);
    }

    /**
     * {@return the field of this name}
     *
     * @param wanted the name that is missing
     */
    public Optional<TracepointField> field(String wanted) {
        return fields.stream().filter(field -> field.name().equals(wanted)).findFirst();
    }

    private static TracepointField field(String file, int lineNumber, String line) {
        Matcher matcher = FIELD.matcher(line);
        if (!matcher.matches()) {
            throw new TracepointFormatException(
                    file, lineNumber, "expected 'field:TYPE NAME; offset:N; size:N; signed:N;'");
        }
        return TracepointField.of(
                        matcher.group(1).strip(),
                        number(file, lineNumber, matcher.group(2)),
                        number(file, lineNumber, matcher.group(3)),
                        "1".equals(matcher.group(4)))
                .orElseThrow(() -> new TracepointFormatException(file, lineNumber, "expected the name of a field"));
    }

    private static int number(String file, int lineNumber, String digits) {
        try {
            return Integer.parseUnsignedInt(digits);
        } catch (NumberFormatException e) {
            throw new TracepointFormatException(file, lineNumber, "expected a number, not '" + digits + "'");
        }
    }
}
