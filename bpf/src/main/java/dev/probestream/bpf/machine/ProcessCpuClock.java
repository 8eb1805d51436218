package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;
import java.util.OptionalLong;

/** The CPU time of any process, to the nanosecond (clock_getcpuclockid(3)). */
public final class ProcessCpuClock {
    /** linux/posix-timers.h: CPUCLOCK_SCHED of a process; the bits above are the complement of its id. */
    private static final int CPUCLOCK_SCHED = 2;

    /** linux/time.h */
    private static final int CLOCK_THREAD_CPUTIME_ID = 3;

    private ProcessCpuClock() {}

    /** {@return the time that the calling thread has run} */
    public static long ofThisThreadNs() {
        return read(CLOCK_THREAD_CPUTIME_ID).orElseThrow();
    }

    /**
     * {@return the time that all threads of the process have run, those among them that have ended; empty when there is no
     * such process}
     *
     * @param pid in the pid namespace of this process
     */
    public static OptionalLong ns(int pid) {
        return read((~pid << 3) | CPUCLOCK_SCHED);
    }

    private static OptionalLong read(int clock) {
        NativeMemory timespec = NativeMemory.allocate(2 * Long.BYTES);
        long result = timespec.lend(address -> Syscalls.call(SystemCall.CLOCK_GETTIME, clock, address));
        return result < 0
                ? OptionalLong.empty()
                : OptionalLong.of(timespec.getLong(0) * 1_000_000_000L + timespec.getLong(Long.BYTES));
    }
}
