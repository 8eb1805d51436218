package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;

/**
 * The machine's clocks at one moment, in nanoseconds (clock_gettime(2)).
 *
 * @param monotonicNs CLOCK_MONOTONIC: the time of bpf_ktime_get_ns; stands still while the machine sleeps
 * @param realtimeNs CLOCK_REALTIME: since 1970, steps when the clock is set
 * @param bootTimeNs CLOCK_BOOTTIME: since boot, sleep included
 * @param uncertaintyNs the three were read within this long
 */
public record ClockReading(long monotonicNs, long realtimeNs, long bootTimeNs, long uncertaintyNs) {
    // linux/time.h
    private static final int CLOCK_REALTIME = 0;
    private static final int CLOCK_MONOTONIC = 1;
    private static final int CLOCK_BOOTTIME = 7;

    /** An interrupt between two readings makes them differ, so the best of several attempts is used. */
    private static final int ATTEMPTS = 5;

    /** A struct timespec, reused because clocks are read many times a second. */
    private static final ThreadLocal<NativeMemory> TIMESPEC =
            ThreadLocal.withInitial(() -> NativeMemory.allocate(2 * Long.BYTES));

    /**
     * Reads all three now.
     *
     * @return the three clocks
     */
    public static ClockReading now() {
        ClockReading best = once();
        for (int i = 1; i < ATTEMPTS; i++) {
            ClockReading next = once();
            if (next.uncertaintyNs < best.uncertaintyNs) {
                best = next;
            }
        }
        return best;
    }

    /** {@return CLOCK_MONOTONIC alone} */
    public static long monotonicNowNs() {
        return read(CLOCK_MONOTONIC);
    }

    private static ClockReading once() {
        long before = read(CLOCK_MONOTONIC);
        long realtime = read(CLOCK_REALTIME);
        long bootTime = read(CLOCK_BOOTTIME);
        long after = read(CLOCK_MONOTONIC);
        return new ClockReading(before + (after - before) / 2, realtime, bootTime, after - before);
    }

    private static long read(int clock) {
        NativeMemory timespec = TIMESPEC.get();
        long result = timespec.lend(address -> Syscalls.call(SystemCall.CLOCK_GETTIME, clock, address));
        Syscalls.check(result, "read clock " + clock);
        return timespec.getLong(0) * 1_000_000_000L + timespec.getLong(Long.BYTES);
    }
}
