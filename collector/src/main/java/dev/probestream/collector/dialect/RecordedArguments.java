package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.Operand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arguments that a message needs, as an argument list of a probe spec. Each value is recorded once. */
final class RecordedArguments {
    /** The result of {@link #add} for a numeric return value, which is the spec's result and not an argument. */
    static final int RETURN_VALUE = -1;

    private static final String WIDEST = "s64";

    private final Map<String, Integer> indexes = new LinkedHashMap<>();
    private final List<String> written = new ArrayList<>();
    private final Map<String, Integer> uses = new LinkedHashMap<>();
    private final KeptValues kept;
    private String returnType = "";

    /** @param kept what another probe of a bpftrace program kept: its names are not given again */
    RecordedArguments(KeptValues kept) {
        this.kept = kept;
    }

    /**
     * Adds a value.
     *
     * @param source see {@link Operand#source}
     * @param type in the syntax of probe specs; "" = as declared by the probe
     * @param isField whether it is a field of a tracepoint, which may be called ret
     * @return its index among the spec's arguments, or {@link #RETURN_VALUE}
     */
    int add(String source, String type, boolean isField) {
        if (source.equals("ret") && !isField && !type.startsWith("str")) {
            // The message truncates the value to the printed size, so a number printed with two sizes is read as the
            // widest type.
            returnType = returnType.isEmpty() || returnType.equals(type) ? type : WIDEST;
            return RETURN_VALUE;
        }
        String value = type.isEmpty() ? source : source + ":" + type;
        return indexes.computeIfAbsent(value, unused -> {
            String name;
            do {
                int use = uses.merge(source, 1, Integer::sum);
                name = use == 1 ? source : source + "_" + use;
            } while (kept.isTaken(name));
            written.add(name + "=" + value);
            return written.size() - 1;
        });
    }

    /** How many were added, without the return value. */
    int count() {
        return written.size();
    }

    /** The name of an argument that was added, in the spec. */
    String name(int index) {
        return index == RETURN_VALUE
                ? "ret"
                : written.get(index).substring(0, written.get(index).indexOf('='));
    }

    /** The list in parentheses; "" if it is empty. */
    String list() {
        List<String> all = new ArrayList<>(written);
        if (!returnType.isEmpty()) {
            all.add("ret=ret:" + returnType);
        }
        return all.isEmpty() ? "" : "(" + String.join(", ", all) + ")";
    }
}
