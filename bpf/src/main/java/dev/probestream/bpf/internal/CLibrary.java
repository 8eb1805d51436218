package dev.probestream.bpf.internal;

/**
 * The functions of the C library that are called here, for jnr-ffi. All arguments are long, which fills a register of x86-64
 * and arm64. C declares syscall(2) with "...": on Linux both machines pass such arguments as they pass named ones. Public,
 * so that code which jnr-ffi may generate sees it.
 */
public interface CLibrary {
    /** syscall(2): returns -1 for an error, whose errno {@link JnrFfi#lastErrno} returns. */
    long syscall(long number, long a, long b, long c, long d, long e, long f);

    /** bsearch(3). */
    long bsearch(long key, long base, long count, long sizeBytes, long compare);
}
