package dev.probestream.bpf.machine;

import java.util.regex.Pattern;

/**
 * The source form of a C++ function, as demanglers write it: {@code ns::Heap::as<int>(int) const}. Compares without
 * regard to blanks and to the side of a type on which const stands.
 *
 * @param text as written
 */
public record CxxSignature(String text) {
    private static final String ANONYMOUS = "(anonymous namespace)";
    private static final Pattern LEADING_CONST =
            Pattern.compile("(?<=[(,<])const ((?:unsigned |signed |long )*[\\w:]+)");

    /**
     * {@return whether a name is a signature and not only namespaces, classes and a name}
     *
     * @param name its name
     */
    public static boolean isOne(String name) {
        String plain = name.replace(ANONYMOUS, "");
        return plain.indexOf('(') > 0 || (plain.indexOf('<') > 0 && !plain.contains("operator"));
    }

    /** {@return the namespaces, classes and name: {@code ns::Heap::as}} */
    public String qualifiedName() {
        StringBuilder name = new StringBuilder();
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            if (depth == 0 && text.startsWith(ANONYMOUS, i)) {
                name.append(ANONYMOUS);
                i += ANONYMOUS.length() - 1;
                continue;
            }
            char c = text.charAt(i);
            if (c == '(' && depth == 0) {
                break;
            }
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (depth == 0 && c != '>') {
                name.append(c);
            }
        }
        return name.toString().strip();
    }

    /**
     * {@return whether both mean the same function; one without parameters means every function of this name}
     *
     * @param other the other one
     */
    public boolean matches(CxxSignature other) {
        String mine = normalized(text);
        String others = normalized(other.text);
        boolean hasParameters = text.replace(ANONYMOUS, "").indexOf('(') > 0;
        return hasParameters ? mine.equals(others) : others.startsWith(mine + "(");
    }

    private static String normalized(String text) {
        String compact = text.strip()
                .replaceAll("\\s+", " ")
                .replaceAll(" ?([^\\w ]) ?", "$1")
                .replace("(void)", "()");
        return LEADING_CONST.matcher(compact).replaceAll("$1 const");
    }

    /** Only templates are demangled with the type that they return, which stands before the name. */
    static String withoutReturnType(String demangled) {
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < demangled.length(); i++) {
            if (depth == 0 && demangled.startsWith(ANONYMOUS, i)) {
                i += ANONYMOUS.length() - 1;
                continue;
            }
            if (depth == 0 && demangled.startsWith("operator", i)) {
                break;
            }
            char c = demangled.charAt(i);
            if (c == '('
                    && depth == 0
                    && !demangled.startsWith("decltype", Math.max(0, i - "decltype".length()))
                    && !demangled.startsWith("decltype (", Math.max(0, i - "decltype ".length()))) {
                break;
            }
            depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
            if (c == ' ' && depth == 0) {
                begin = i + 1;
            }
        }
        return demangled.substring(begin);
    }
}
