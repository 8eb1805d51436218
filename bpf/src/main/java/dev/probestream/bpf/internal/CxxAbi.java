package dev.probestream.bpf.internal;

import jnr.ffi.Pointer;
import jnr.ffi.annotations.Out;
import org.jspecify.annotations.Nullable;

/** What we bind of a C++ runtime. Public only because jnr implements it in a class of its own. */
public interface CxxAbi {
    /** cxxabi.h: the demangled name, allocated by malloc; null where {@code mangled} is no mangled name. */
    @Nullable
    Pointer __cxa_demangle(byte[] mangled, @Nullable Pointer buffer, @Nullable Pointer length, @Out int[] status);

    /** free(3); every C++ runtime brings the C library with it. */
    void free(Pointer memory);
}
