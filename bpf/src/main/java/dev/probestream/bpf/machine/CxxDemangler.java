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

    private final Optional<CxxRuntime> runtime;

    private CxxDemangler(Optional<CxxRuntime> runtime) {
        this.runtime = runtime;
    }

    /** Loads the C++ runtime library. */
    public static CxxDemangler ofThisMachine() {
        return new CxxDemangler(CxxRuntime.load());
    }

    /** Whether this machine has a C++ runtime library; without one, {@link #demangle} changes nothing. */
    public boolean isAvailable() {
        return runtime.isPresent();
    }

    /** The demangled name, or {@code name} itself where it is not a mangled one. */
    public String demangle(String name) {
        if (runtime.isEmpty() || !name.startsWith("_Z")) {
            return name;
        }
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        return utf8.length > MAX_NAME_BYTES
                ? name
                : runtime.get().demangle(utf8).orElse(name);
    }
}
