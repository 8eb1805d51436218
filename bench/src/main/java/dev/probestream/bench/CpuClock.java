package dev.probestream.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/** CPU time: being preempted by a neighbour does not count. */
final class CpuClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuClock() {}

    /** Of the running thread. */
    static long nowNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Of all threads of this JVM, those that compile and collect garbage included; in steps of 10 ms. */
    static long processNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElseThrow(() -> new IllegalStateException("the JVM cannot tell its CPU time"));
    }
}
