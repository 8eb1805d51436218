package dev.probestream.bpf.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import jnr.ffi.LastError;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;

/**
 * Binds interfaces to libraries by jnr-ffi. Calls go through a proxy: the code that jnr-ffi can generate for an interface
 * makes a call cheaper, but each start 35 ms slower, and needs seven more libraries. A program that has them and sets the
 * property {@code jnr.ffi.asm.enabled} gets that code.
 */
final class JnrFfi {
    private static final String GENERATES_CODE = "jnr.ffi.asm.enabled";

    private static final Runtime RUNTIME = Runtime.getSystemRuntime();

    static {
        // Before the first library is bound: jnr-ffi reads it then, and once.
        if (System.getProperty(GENERATES_CODE) == null) {
            System.setProperty(GENERATES_CODE, "false");
        }
    }

    private JnrFfi() {}

    /** What binds functions to a library. */
    static <T> LibraryLoader<T> loader(Class<T> functions) {
        return LibraryLoader.create(functions);
    }

    /** The errno of this thread's last call. */
    static int lastErrno() {
        return LastError.getLastError(RUNTIME);
    }

    /** The text at an address, up to the zero behind it. */
    static String utf8(long address) {
        return Pointer.wrap(RUNTIME, address).getString(0, Integer.MAX_VALUE, StandardCharsets.UTF_8);
    }

    /** Where a direct buffer begins. */
    static long address(ByteBuffer buffer) {
        return Pointer.wrap(RUNTIME, buffer).address() - buffer.position();
    }
}
