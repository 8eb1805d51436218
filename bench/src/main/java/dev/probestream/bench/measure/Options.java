package dev.probestream.bench.measure;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The options of a benchmark: {@code --NAME VALUE}, and flags {@code --NAME}.
 *
 * @param values by name, without the dashes; of flags empty
 */
public record Options(Map<String, String> values) {
    public Options {
        values = Map.copyOf(values);
    }

    /** An option that the benchmark does not have, or a value that it cannot take; the message is for the user. */
    public static final class WrongUseException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public WrongUseException(String message) {
            super(message);
        }
    }

    /**
     * Reads them.
     *
     * @param known which the benchmark has
     * @param flags which it has without a value
     * @throws WrongUseException if there is another one, or one without a value
     */
    public static Options parse(List<String> arguments, List<String> known, List<String> flags) {
        List<String> all = Stream.concat(known.stream(), flags.stream()).toList();
        Map<String, String> values = new LinkedHashMap<>();
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String argument = rest.next();
            String name = argument.startsWith("--") ? argument.substring(2) : "";
            if (!all.contains(name)) {
                throw new WrongUseException("unknown option " + argument + "; the options of this benchmark are: "
                        + (all.isEmpty() ? "none" : "--" + String.join(" --", all)));
            }
            if (!flags.contains(name) && !rest.hasNext()) {
                throw new WrongUseException("option " + argument + " has no value");
            }
            values.put(name, flags.contains(name) ? "" : rest.next());
        }
        return new Options(values);
    }

    /** Whether an option or flag is given. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** A number above 0. */
    public int number(String name, int otherwise) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        if (!text.get().matches("[1-9]\\d{0,8}")) {
            throw new WrongUseException("option --" + name + ": " + text.get() + " is not a number above 0");
        }
        return Integer.parseInt(text.get());
    }

    /** Texts separated by commas. */
    public List<String> list(String name, List<String> otherwise) {
        return text(name).map(text -> List.of(text.split(","))).orElse(otherwise);
    }
}
