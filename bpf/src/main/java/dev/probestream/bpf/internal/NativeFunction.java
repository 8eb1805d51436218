package dev.probestream.bpf.internal;

/** Calls a function of this process by its address. A wrong address ends the JVM. */
public final class NativeFunction {
    private NativeFunction() {}

    /**
     * Calls {@code int f(long, long)} of the C calling convention, as the function by which bsearch(3) compares: in a table of one
     * element it is called once, with the key and the address of the element.
     */
    public static void call(long address, long a, long b) {
        Syscalls.C_LIBRARY.bsearch(a, b, 1, 1, address);
    }
}
