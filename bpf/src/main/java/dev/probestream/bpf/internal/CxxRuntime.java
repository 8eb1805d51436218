package dev.probestream.bpf.internal;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** The C++ runtime library of this machine: libstdc++.so.6, else libc++abi.so.1. Safe for several threads. */
public final class CxxRuntime {
    private static final String[] LIBRARIES = {"libstdc++.so.6", "libc++abi.so.1"};

    private static final CallContext FOUR_POINTERS =
            new CallContext(Type.POINTER, Type.POINTER, Type.POINTER, Type.POINTER, Type.POINTER);
    private static final CallContext ONE_POINTER = new CallContext(Type.VOID, Type.POINTER);

    /** cxxabi.h: {@code char *__cxa_demangle(mangled, buffer, length, status)}; the result is allocated by malloc. */
    private final long demangle;
    /** free(3) of the C library, which every C++ runtime depends on. */
    private final long free;

    private CxxRuntime(Library library) {
        this.demangle = library.getSymbolAddress("__cxa_demangle");
        this.free = library.getSymbolAddress("free");
    }

    /** Loads the library, or returns empty where none is installed. */
    public static Optional<CxxRuntime> load() {
        return Stream.of(LIBRARIES)
                .flatMap(name -> Stream.ofNullable(Library.getCachedInstance(name, Library.LAZY)))
                .findFirst()
                .map(CxxRuntime::new);
    }

    /** The demangled name, or empty where the bytes are not a mangled name. */
    public Optional<String> demangle(byte[] utf8) {
        Invoker invoker = Invoker.getInstance();
        NativeMemory mangled = NativeMemory.ofBytes(Arrays.copyOf(utf8, utf8.length + 1));
        NativeMemory status = NativeMemory.allocate(Integer.BYTES);
        long demangled = mangled.lend(
                name -> status.lend(address -> invoker.invokeL4(FOUR_POINTERS, demangle, name, 0, 0, address)));
        if (demangled == 0) {
            return Optional.empty();
        }
        try {
            byte[] text = MemoryIO.getInstance().getZeroTerminatedByteArray(demangled);
            return Optional.of(new String(text, StandardCharsets.UTF_8));
        } finally {
            invoker.invokeL1(ONE_POINTER, free, demangled);
        }
    }
}
