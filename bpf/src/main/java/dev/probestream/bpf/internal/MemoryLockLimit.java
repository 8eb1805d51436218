package dev.probestream.bpf.internal;

/**
 * The limit on locked memory, which kernels before 5.11 charge maps and programs to. Later ones charge the memory
 * cgroup instead and the limit does not matter.
 */
public final class MemoryLockLimit {
    // linux/resource.h, asm-generic/resource.h
    private static final int RLIMIT_MEMLOCK = 8;
    private static final long RLIM_INFINITY = -1;

    private MemoryLockLimit() {}

    /**
     * Tries to lift the limit for this process.
     *
     * @return whether it is lifted; without CAP_SYS_RESOURCE it may not be, which is no failure in itself
     */
    public static boolean raise() {
        NativeMemory limit =
                NativeMemory.allocate(2 * Long.BYTES).putLong(0, RLIM_INFINITY).putLong(Long.BYTES, RLIM_INFINITY);
        return limit.lend(address -> Syscalls.call(SystemCall.PRLIMIT64, 0, RLIMIT_MEMLOCK, address)) == 0;
    }
}
