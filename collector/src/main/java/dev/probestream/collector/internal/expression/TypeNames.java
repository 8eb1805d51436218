package dev.probestream.collector.internal.expression;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * Parses names of C's arithmetic types (and those of bpftrace and the kernel) and translates them to the types of probe
 * specs. The sizes are those of 64-bit Linux.
 */
public final class TypeNames {
    private static final Map<String, String> TYPES = types();

    private TypeNames() {}

    private static Map<String, String> types() {
        Map<String, String> types = new HashMap<>();
        for (int bits : new int[] {8, 16, 32, 64}) {
            types.put("int" + bits, "s" + bits);
            types.put("uint" + bits, "u" + bits);
            types.put("int" + bits + "_t", "s" + bits);
            types.put("uint" + bits + "_t", "u" + bits);
            types.put("s" + bits, "s" + bits);
            types.put("u" + bits, "u" + bits);
        }
        put(types, "u8", "char", "unsigned char", "bool", "_Bool");
        put(types, "s8", "signed char");
        put(types, "s16", "short", "short int");
        put(types, "u16", "unsigned short", "unsigned short int", "ushort");
        put(types, "s32", "int", "signed", "signed int", "pid_t");
        put(types, "u32", "unsigned", "unsigned int", "uint", "mode_t", "uid_t", "gid_t");
        put(types, "s64", "long", "long int", "long long", "long long int", "ssize_t", "off_t", "loff_t", "intptr_t");
        put(
                types,
                "u64",
                "unsigned long",
                "unsigned long int",
                "unsigned long long",
                "unsigned long long int",
                "ulong",
                "size_t",
                "uintptr_t");
        return Map.copyOf(types);
    }

    private static void put(Map<String, String> types, String specType, String... names) {
        for (String name : names) {
            types.put(name, specType);
        }
    }

    /** The spec's name of a C type; "ptr" for a pointer; empty if the type is unknown. */
    public static Optional<String> typeOf(String words, boolean isPointer) {
        return isPointer ? Optional.of("ptr") : Optional.ofNullable(TYPES.get(words));
    }

    /** Whether a cast follows: a type in parentheses. */
    public static boolean isNext(LineScanner line) {
        int start = line.position();
        boolean isCast = line.take("(") && read(line).isPresent() && line.take(")");
        line.moveTo(start);
        return isCast;
    }

    /**
     * Reads the words of a type and its asterisks. Empty if the type is unknown; the words are consumed in any case.
     */
    public static Optional<String> read(LineScanner line) {
        StringJoiner words = new StringJoiner(" ");
        boolean isStruct = false;
        while (line.peek().kind() == Token.Kind.WORD) {
            String word = line.next().text();
            isStruct |= word.equals("struct") || word.equals("union");
            if (!word.equals("const") && !word.equals("volatile")) {
                words.add(word);
            }
        }
        boolean isPointer = false;
        while (line.take("*")) {
            isPointer = true;
            line.take("const");
        }
        boolean isKnown = isStruct
                || TYPES.containsKey(words.toString())
                || words.toString().equals("void");
        return isKnown ? typeOf(words.toString(), isPointer) : Optional.empty();
    }
}
