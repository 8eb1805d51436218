package dev.probestream.bpf.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.annotations.Out;
import org.jspecify.annotations.Nullable;

/** The C++ runtime library of this machine: libstdc++.so.6, else libc++abi.so.1. Safe for several threads. */
public final class CxxRuntime {
    private static final String[] LIBRARIES = {"libstdc++.so.6", "libc++abi.so.1"};

    private final CxxAbi library;

    private CxxRuntime(CxxAbi library) {
        this.library = library;
    }

    /** Loads the library, or returns empty where none is installed. */
    public static Optional<CxxRuntime> load() {
        return Stream.of(LIBRARIES)
                .flatMap(name -> load(name).stream())
                .findFirst()
                .map(CxxRuntime::new);
    }

    private static Optional<CxxAbi> load(String name) {
        try {
            return Optional.of(
                    LibraryLoader.create(CxxAbi.class).failImmediately().load(name));
        } catch (UnsatisfiedLinkError e) {
            return Optional.empty(); // not installed
        }
    }

    /** The demangled name, or empty where the bytes are not a mangled name. */
    public Optional<String> demangle(byte[] utf8) {
        Pointer demangled = library.__cxa_demangle(Arrays.copyOf(utf8, utf8.length + 1), null, null, new int[1]);
        if (demangled == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(demangled.getString(0, Integer.MAX_VALUE, StandardCharsets.UTF_8));
        } finally {
            library.free(demangled);
        }
    }

    /** The functions that are bound. Public because jnr implements it in a class of its own. */
    public interface CxxAbi {
        /** cxxabi.h: the demangled name, allocated by malloc; null where {@code mangled} is not a mangled name. */
        @Nullable
        Pointer __cxa_demangle(byte[] mangled, @Nullable Pointer buffer, @Nullable Pointer length, @Out int[] status);

        /** free(3) of the C library, which every C++ runtime depends on. */
        void free(Pointer memory);
    }
}
