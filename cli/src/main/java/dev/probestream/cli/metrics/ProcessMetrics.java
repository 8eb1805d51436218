package dev.probestream.cli.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.RuntimeMXBean;

/** The metrics of this process; the names are those of Prometheus' client for the JVM. */
final class ProcessMetrics {
    private static final double MS_PER_SECOND = 1e3;
    private static final double NS_PER_SECOND = 1e9;

    private ProcessMetrics() {}

    static void register(PrometheusRegistry registry) {
        Metrics metrics = new Metrics(registry);
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        metrics.gauge(
                "jvm_memory_used_bytes",
                "Heap in use.",
                () -> memory.getHeapMemoryUsage().getUsed());
        metrics.gauge(
                "jvm_memory_max_bytes",
                "Heap that may be used at most.",
                () -> memory.getHeapMemoryUsage().getMax());
        metrics.counter(
                "jvm_gc_collection_seconds_total",
                "Time spent in garbage collections.",
                () -> ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                                .sum()
                        / MS_PER_SECOND);
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        metrics.gauge(
                "process_start_time_seconds",
                "When the process began, in seconds since 1970.",
                () -> runtime.getStartTime() / MS_PER_SECOND);
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        metrics.counter(
                "process_cpu_seconds_total",
                "CPU time the process has used.",
                () -> system.getProcessCpuTime() / NS_PER_SECOND);
    }
}
