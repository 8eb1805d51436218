package dev.probestream.bpf.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The C++ runtime library of this machine: libstdc++.so.6, else libc++abi.so.1. Safe for several threads. */
public final class CxxRuntime {
    private static final List<String> LIBRARIES = List.of("libstdc++.so.6", "libc++abi.so.1");

    private final Functions functions;

    private CxxRuntime(Functions functions) {
        this.functions = functions;
    }

    /** The functions that are called, for jnr-ffi. Public, so that code which it may generate sees them. */
    public interface Functions {
        /** cxxabi.h: {@code char *__cxa_demangle(mangled, buffer, length, status)}; the result is allocated by malloc. */
        long demangle(long mangled, long buffer, long length, long status);

        /** free(3) of the C library, which every C++ runtime depends on. */
        void free(long memory);
    }

    /** Loads the library, or returns empty where none is installed. */
    public static Optional<CxxRuntime> load() {
        return LIBRARIES.stream().flatMap(name -> load(name).stream()).findFirst();
    }

    private static Optional<CxxRuntime> load(String library) {
        try {
            return Optional.of(new CxxRuntime(JnrFfi.loader(Functions.class)
                    .map("demangle", "__cxa_demangle")
                    .failImmediately()
                    .load(library)));
        } catch (UnsatisfiedLinkError e) {
            return Optional.empty();
        }
    }

    /** The demangled name, or empty where the bytes are not a mangled name. */
    public Optional<String> demangle(byte[] utf8) {
        NativeMemory mangled = NativeMemory.ofBytes(Arrays.copyOf(utf8, utf8.length + 1));
        NativeMemory status = NativeMemory.allocate(Integer.BYTES);
        long demangled = mangled.lend(name -> status.lend(address -> functions.demangle(name, 0, 0, address)));
        if (demangled == 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(JnrFfi.utf8(demangled));
        } finally {
            functions.free(demangled);
        }
    }
}
