package dev.probestream.bpf.internal;

/** The one function of the C library we bind. Public only because jnr implements it in a class of its own. */
public interface LibC {
    /**
     * syscall(2), with all six arguments always given: bound with exactly six arguments, jnr-ffi on x86-64 passes
     * garbage as the sixth; seven are passed right.
     */
    long syscall(long number, long a, long b, long c, long d, long e, long f);
}
