package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.CxxRuntime;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Turns the mangled name of a C++ function into its source form with arguments, through the C++ runtime library of this
 * machine. Without such a library, names stay as they are. Safe for several threads.
 */
public final class CxxDemangler {
    /**
     * Longer names stay mangled: the library's demangler recurses over the name on our stack, and the name may come from
     * an untrusted file.
     */
    private static final int MAX_NAME_BYTES = 4096;

    private CxxDemangler() {}

    /** Loaded when the first name is demangled. */
    private static final class Loaded {
        static final Optional<CxxRuntime> RUNTIME = CxxRuntime.load();
    }

    /**
     * Uses the C++ runtime library, which is loaded when it is first needed.
     *
     * @return the demangler
     */
    public static CxxDemangler ofThisMachine() {
        return new CxxDemangler();
    }

    /** {@return whether this machine has a C++ runtime library; without one, {@link #demangle} changes nothing} */
    public boolean isAvailable() {
        return Loaded.RUNTIME.isPresent();
    }

    /**
     * {@return the demangled name, or {@code name} itself where it is not a mangled one}
     *
     * @param name its name
     */
    public String demangle(String name) {
        if (!name.startsWith("_Z") || Loaded.RUNTIME.isEmpty()) {
            return name;
        }
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        return utf8.length > MAX_NAME_BYTES
                ? name
                : Loaded.RUNTIME.get().demangle(utf8).orElse(name);
    }

    /**
     * {@return the name with template arguments and parameters, but without the type that a template returns: {@code
     * ns::f<int>(int)}; {@code name} itself where it is not a mangled one}
     *
     * @param name its name
     */
    public String signature(String name) {
        String demangled = demangle(name);
        return demangled.equals(name) ? name : CxxSignature.withoutReturnType(demangled);
    }
}
