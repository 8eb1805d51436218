package dev.probestream.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** CPU time of the running thread: being preempted by a neighbour does not count. */
final class CpuClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuClock() {}

    static long nowNs() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
