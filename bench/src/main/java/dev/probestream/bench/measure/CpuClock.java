package dev.probestream.bench.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/** CPU time, which excludes preemption by other processes. */
public final class CpuClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuClock() {}

    /** The CPU time of the current thread. */
    public static long nowNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** The CPU time of all threads of this JVM, including JIT compiler and garbage collector, in steps of 10 ms. */
    public static long processNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElseThrow(() -> new IllegalStateException("the JVM does not report its CPU time"));
    }
}
