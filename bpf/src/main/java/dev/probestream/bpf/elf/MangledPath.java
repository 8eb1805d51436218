package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Parses the namespaces, classes and name of a mangled C++ function, without demangling the rest. It supports this part
 * of the Itanium C++ ABI (section 5.1):
 *
 * <pre>
 * _Z [L] 3foo …                      foo
 * _Z St 9terminate …                 std::terminate
 * _Z N [r V K R O] [St] (component [I…E] [B3tag])+ E
 *      component = [L] 3foo | C1..C3 (the class's name again) | D0..D3 (~ and the class's name)
 * </pre>
 *
 * Template arguments and ABI tags are skipped. Anything else (operators, local names, lambdas) is not a simple path.
 * One object is reused for many names, so that parsing allocates nothing.
 */
final class MangledPath {
    private static final int NOT_SIMPLE = -1;
    private static final int MAX_COMPONENTS = 32;
    private static final byte[] STD = "std".getBytes(UTF_8);
    private static final byte[] SEPARATOR = "::".getBytes(UTF_8);
    private static final byte[] TILDE = "~".getBytes(UTF_8);
    private static final byte[] ANONYMOUS = "(anonymous namespace)".getBytes(UTF_8);
    private static final byte[] ANONYMOUS_MANGLED = "_GLOBAL__N_1".getBytes(UTF_8);

    private final byte[][] bytes = new byte[MAX_COMPONENTS][];
    private final int[] starts = new int[MAX_COMPONENTS];
    private final int[] ends = new int[MAX_COMPONENTS];
    private int count;
    private boolean isDestructor;

    /**
     * Whether the name is a simple path; then the other methods describe its components. {@code end} may lie behind the
     * end of the name where a zero ends it.
     */
    boolean walk(byte[] name, int start, int end) {
        count = 0;
        isDestructor = false;
        if (end - start < 4 || name[start] != '_' || name[start + 1] != 'Z') {
            return false;
        }
        int at = start + 2;
        return name[at] == 'N' ? nested(name, at + 1, end) : sourceName(name, skipStd(name, at, end), end) >= 0;
    }

    int componentCount() {
        return count;
    }

    boolean componentMatches(int component, Glob glob) {
        return glob.matchesBytes(bytes[component], starts[component], ends[component]);
    }

    /** Whether the last component is the destructor of the class before it. */
    boolean isDestructor() {
        return isDestructor;
    }

    void appendLastTo(LowerCase text) {
        text.append(bytes[count - 1], starts[count - 1], ends[count - 1]);
    }

    /** As {@link #toString}, without making a String. */
    void appendTo(LowerCase text) {
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                text.append(SEPARATOR, 0, SEPARATOR.length);
            }
            if (isDestructor && i == count - 1) {
                text.append(TILDE, 0, TILDE.length);
            }
            text.append(bytes[i], starts[i], ends[i]);
        }
    }

    @Override
    public String toString() {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < count; i++) {
            path.append(i == 0 ? "" : "::").append(isDestructor && i == count - 1 ? "~" : "");
            path.append(new String(bytes[i], starts[i], ends[i] - starts[i], UTF_8));
        }
        return path.toString();
    }

    private boolean nested(byte[] name, int start, int end) {
        int at = start;
        while (at < end && "rVKRO".indexOf(name[at]) >= 0) {
            at++;
        }
        at = skipStd(name, at, end);
        while (at >= 0 && at < end && count < MAX_COMPONENTS) {
            at = switch (name[at]) {
                case 'E' -> end;
                case 'I' -> TemplateArguments.skip(name, at, end);
                case 'B' -> TemplateArguments.skipIdentifier(name, at + 1, end);
                case 'C', 'D' -> structor(name, at, end);
                default -> sourceName(name, at, end);
            };
        }
        return at == end && count > 0;
    }

    private int skipStd(byte[] name, int at, int end) {
        if (at + 1 < end && name[at] == 'S' && name[at + 1] == 't') {
            add(STD, 0, STD.length);
            return at + 2;
        }
        return at;
    }

    private int structor(byte[] name, int at, int end) {
        if (count == 0 || at + 1 >= end || name[at + 1] < '0' || name[at + 1] > '3') {
            return NOT_SIMPLE;
        }
        isDestructor = name[at] == 'D';
        add(bytes[count - 1], starts[count - 1], ends[count - 1]);
        return at + 2;
    }

    private int sourceName(byte[] name, int start, int end) {
        int digits = start < end && name[start] == 'L' ? start + 1 : start;
        int after = TemplateArguments.skipIdentifier(name, digits, end);
        if (after < 0) {
            return NOT_SIMPLE;
        }
        int at = digits;
        while (name[at] >= '0' && name[at] <= '9') {
            at++;
        }
        if (startsWith(name, at, after, ANONYMOUS_MANGLED)) {
            add(ANONYMOUS, 0, ANONYMOUS.length);
        } else {
            add(name, at, after);
        }
        return after;
    }

    private static boolean startsWith(byte[] name, int at, int end, byte[] wanted) {
        if (end - at < wanted.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (name[at + i] != wanted[i]) {
                return false;
            }
        }
        return true;
    }

    private void add(byte[] source, int start, int end) {
        bytes[count] = source;
        starts[count] = start;
        ends[count] = end;
        count++;
    }
}
