package dev.probestream.bench.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/** CPU time: being preempted by a neighbour does not count. */
public final class CpuClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuClock() {}

    /** Of the running thread. */
    public static long nowNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Of all threads of this JVM, those that compile and collect garbage included; in steps of 10 ms. */
    public static long processNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElseThrow(() -> new IllegalStateException("the JVM cannot tell its CPU time"));
    }
}
