package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.CxxAbi;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the mangled name of a C++ function into what a programmer wrote, arguments and all, through the C++ runtime of
 * this machine: libstdc++.so.6, else libc++abi.so.1. Without either, names stay as they are. Safe for several threads.
 */
public final class CxxDemangler {
    /**
     * Longer names stay mangled: the runtime's demangler recurses over the name, which may come from a stranger's file,
     * on our stack.
     */
    private static final int MAX_NAME_BYTES = 4096;

    private static final String[] LIBRARIES = {"libstdc++.so.6", "libc++abi.so.1"};

    private final @Nullable CxxAbi runtime;

    private CxxDemangler(@Nullable CxxAbi runtime) {
        this.runtime = runtime;
    }

    /** Loads the runtime. */
    public static CxxDemangler ofThisMachine() {
        return Stream.of(LIBRARIES)
                .flatMap(library -> load(library).stream())
                .findFirst()
                .map(CxxDemangler::new)
                .orElseGet(() -> new CxxDemangler(null));
    }

    private static Optional<CxxAbi> load(String library) {
        try {
            return Optional.of(
                    LibraryLoader.create(CxxAbi.class).failImmediately().load(library));
        } catch (UnsatisfiedLinkError e) {
            return Optional.empty(); // not installed
        }
    }

    /** Whether there is a runtime; else {@link #demangle} changes nothing. */
    public boolean isAvailable() {
        return runtime != null;
    }

    /** The demangled name, or {@code name} itself where it is not a mangled one. */
    public String demangle(String name) {
        if (runtime == null || !name.startsWith("_Z")) {
            return name;
        }
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > MAX_NAME_BYTES) {
            return name;
        }
        Pointer demangled = runtime.__cxa_demangle(Arrays.copyOf(utf8, utf8.length + 1), null, null, new int[1]);
        if (demangled == null) {
            return name;
        }
        try {
            return demangled.getString(0, Integer.MAX_VALUE, StandardCharsets.UTF_8);
        } finally {
            runtime.free(demangled);
        }
    }
}
