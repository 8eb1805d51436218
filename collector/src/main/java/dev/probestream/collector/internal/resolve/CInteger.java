package dev.probestream.collector.internal.resolve;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An integer type of the kernel's C, as named in the formats of tracepoints, on 64-bit machines.
 *
 * @param sizeBytes 1, 2, 4 or 8
 * @param isSigned whether it is signed
 */
public record CInteger(int sizeBytes, boolean isSigned) {
    private static final Map<String, CInteger> BY_NAME = byName();

    /** The type of this name; empty for a struct, a pointer or a name that is not known. */
    public static Optional<CInteger> named(String declaredType) {
        String name = declaredType.startsWith("const ") ? declaredType.substring("const ".length()) : declaredType;
        return Optional.ofNullable(BY_NAME.get(name));
    }

    private static Map<String, CInteger> byName() {
        Map<String, CInteger> types = new HashMap<>();
        put(types, 1, true, "char", "signed char", "s8", "__s8");
        put(types, 1, false, "unsigned char", "u8", "__u8", "bool");
        put(types, 2, true, "short", "s16", "__s16");
        put(types, 2, false, "unsigned short", "u16", "__u16", "umode_t");
        put(types, 4, true, "int", "s32", "__s32", "pid_t", "clockid_t", "const clockid_t", "timer_t", "mqd_t");
        put(types, 4, true, "key_t", "key_serial_t", "rwf_t");
        put(types, 4, false, "unsigned int", "unsigned", "u32", "__u32", "uid_t", "gid_t", "qid_t", "mode_t");
        put(types, 8, true, "long", "long long", "s64", "__s64", "ssize_t", "loff_t", "off_t", "time_t");
        put(types, 8, false, "unsigned long", "unsigned long long", "u64", "__u64", "size_t", "aio_context_t");
        return types;
    }

    private static void put(Map<String, CInteger> types, int sizeBytes, boolean isSigned, String... names) {
        for (String name : names) {
            types.put(name, new CInteger(sizeBytes, isSigned));
        }
    }
}
