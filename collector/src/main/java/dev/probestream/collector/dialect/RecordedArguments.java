package dev.probestream.collector.dialect;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arguments that a message needs, as a list of our grammar; each value is recorded once. */
final class RecordedArguments {
    /** {@link #add} of a number that a function returned: it is the spec's result, not one of its arguments. */
    static final int RETURN_VALUE = -1;

    private static final String WIDEST = "s64";

    private final Map<String, Integer> indexes = new LinkedHashMap<>();
    private final List<String> written = new ArrayList<>();
    private final Map<String, Integer> uses = new LinkedHashMap<>();
    private String returnType = "";

    /**
     * Notes a value.
     *
     * @param source as {@link Operand#source}
     * @param type in our grammar; "" = as the probe declares it
     * @return its index among the spec's arguments, or {@link #RETURN_VALUE}
     */
    int add(String source, String type) {
        if (source.equals("ret") && !type.startsWith("str")) {
            // The printed size is cut from it: the same number printed in two ways is read whole.
            returnType = returnType.isEmpty() || returnType.equals(type) ? type : WIDEST;
            return RETURN_VALUE;
        }
        String value = type.isEmpty() ? source : source + ":" + type;
        return indexes.computeIfAbsent(value, unused -> {
            int use = uses.merge(source, 1, Integer::sum);
            String name = use == 1 ? source : source + "_" + use;
            written.add(name + "=" + value);
            return written.size() - 1;
        });
    }

    /** The list with its parentheses, "" when there is nothing in it. */
    String list() {
        List<String> all = new ArrayList<>(written);
        if (!returnType.isEmpty()) {
            all.add("ret=ret:" + returnType);
        }
        return all.isEmpty() ? "" : "(" + String.join(", ", all) + ")";
    }
}
