package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;

/**
 * A C++ function by its namespaces, classes and name, e.g. {@code v8::internal::Heap::CollectGarbage}: every overload,
 * const or not, and every template instance of it. Each component may be a glob; a {@code *} does not cross {@code ::}.
 */
final class CxxName implements FunctionNames.Matcher {
    private final List<Glob> components;
    /** The components as mangled names spell them; empty where that may differ: globs, {@code std}, nameless namespaces. */
    private final List<byte[]> mangled;

    private final boolean isDestructor;
    private final MangledPath path = new MangledPath();

    CxxName(String qualifiedName) {
        String[] parts = qualifiedName.split("::", -1);
        int last = parts.length - 1;
        this.isDestructor = parts[last].startsWith("~");
        if (isDestructor) {
            parts[last] = parts[last].substring(1);
        }
        this.components = Arrays.stream(parts).map(Glob::new).toList();
        this.mangled = Arrays.stream(parts).map(CxxName::mangled).toList();
    }

    private static byte[] mangled(String component) {
        boolean isPlain = component.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_');
        String text = isPlain && !component.equals("std") ? component : "";
        byte[] bytes = text.getBytes(UTF_8);
        return bytes.length == 0 ? bytes : (bytes.length + text).getBytes(UTF_8);
    }

    @Override
    public boolean matches(byte[] strings, int start) {
        if (!mayMatch(strings, start)
                || !path.walk(strings, start, strings.length)
                || path.componentCount() != components.size()
                || path.isDestructor() != isDestructor) {
            return false;
        }
        for (int i = components.size() - 1; i >= 0; i--) {
            if (!path.componentMatches(i, components.get(i))) {
                return false;
            }
        }
        return !CompilerCopy.isNamed(strings, start, SymbolTable.nameEnd(strings, start));
    }

    /**
     * Rejects nearly every name by its first bytes: a name with one component is never nested, one with several is (or
     * is in std), and those that follow each other plainly are these.
     */
    private boolean mayMatch(byte[] strings, int start) {
        if (strings.length - start < 4 || strings[start] != '_' || strings[start + 1] != 'Z') {
            return false;
        }
        byte kind = strings[start + 2];
        return components.size() == 1
                ? kind != 'N' && kind != 'S'
                : kind == 'S' || (kind == 'N' && mayBeNested(strings, start + 3));
    }

    /** Whether the components up to the first that is not a plain name of ours are ours. */
    private boolean mayBeNested(byte[] strings, int start) {
        int at = start;
        while (isQualifier(strings[at])) {
            at++;
        }
        for (int i = 0; isDigit(strings[at]); i++) {
            if (i == mangled.size()) {
                return false;
            }
            byte[] wanted = mangled.get(i);
            if (wanted.length == 0) {
                return true;
            }
            for (byte character : wanted) {
                if (strings[at++] != character) {
                    return false; // at the latest at the zero behind the name
                }
            }
        }
        return true;
    }

    /** Of a method: const and the like. */
    private static boolean isQualifier(byte character) {
        return character == 'K' || character == 'r' || character == 'V' || character == 'R' || character == 'O';
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }

    static String qualifiedNameOf(String symbolName) {
        byte[] name = symbolName.getBytes(UTF_8);
        MangledPath path = new MangledPath();
        return path.walk(name, 0, name.length) ? path.toString() : symbolName;
    }
}
