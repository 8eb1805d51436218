package dev.probestream.collector.internal.counter;

import dev.probestream.schema.record.EventKind;
import java.util.Arrays;
import java.util.List;

/**
 * The probes of {@link dev.probestream.collector.probe.ProbeKind#PROCESS}, in the order of their ids. Names and arguments are
 * part of the format of recordings (docs/counters.md).
 */
public enum ProcessCounter {
    /** Since the process started. */
    CPU("cpu", "user_ns:ns", "system_ns:ns", "run_delay_ns:ns"),
    /** Since the reading before: 100 is one CPU. */
    CPU_LOAD("cpu load", "user:% of a CPU", "system:% of a CPU", "run_delay:% of a CPU"),
    /** Pages of the process that are in memory. */
    MEMORY("memory", "rss:bytes"),
    /** That live. */
    THREADS("threads", "threads:count"),
    /** All kinds together, and the soft limit of RLIMIT_NOFILE. */
    OPEN_DESCRIPTORS("open descriptors", "open:count", "limit:count"),
    /** What the descriptors refer to. */
    DESCRIPTORS(
            "descriptors",
            "sockets:count",
            "pipes:count",
            "files:count",
            "eventpolls:count",
            "eventfds:count",
            "anonymous:count"),
    /** TCP connections by their state; {@code other} are the sockets that are none. */
    CONNECTIONS(
            "connections", "established:count", "connecting:count", "closing:count", "close_wait:count", "other:count"),
    /** Connections that wait to be accepted; queued and limit are those of the fullest queue. */
    LISTEN_QUEUE("listen queue", "listeners:count", "queued:count", "limit:count", "drops:count"),
    /** Of the whole network namespace, since it exists: ListenOverflows and ListenDrops of /proc/PID/net/netstat. */
    LISTEN_OVERFLOWS("listen overflows", "overflows:count", "drops:count"),
    /** One listening socket, whenever something about it is new. */
    LISTENING_SOCKET("listening socket", "local:", "queued:count", "limit:count", "drops:count"),
    /**
     * The limit of CPU time of the process's control groups, or of their ancestors, that held it back most; the others are
     * since the first reading, throttled_ns added up over CPUs.
     */
    CPU_LIMIT(
            "cpu limit",
            "limit:% of a CPU",
            "period_ns:ns",
            "periods:count",
            "throttled_periods:count",
            "throttled_ns:ns"),
    /** Where that limit is written, whenever it is another file. */
    CPU_LIMIT_FILE("cpu limit file", "file:"),
    /** Of the process's control group of version 2, since it exists. */
    CGROUP_PRESSURE("cgroup pressure", "cpu_some:ns", "memory_some:ns", "memory_full:ns", "io_some:ns", "io_full:ns"),
    /** Of the machine, since it booted. */
    MACHINE_PRESSURE("machine pressure", "cpu_some:ns", "memory_some:ns", "memory_full:ns", "io_some:ns", "io_full:ns"),
    /** Of all CPUs together, since the machine booted: steal_ns had the hypervisor. */
    MACHINE_CPU("machine cpu", "busy_ns:ns", "idle_ns:ns", "steal_ns:ns", "cpus:count"),
    /** What the process runs: read once, and again when it executes another program. */
    PROGRAM("program", "runtime:", "application:"),
    /** Of its /etc/resolv.conf, read at the same time, in their order. */
    NAME_SERVERS("name servers", "addresses:");

    /**
     * An argument of the probe's record.
     *
     * @param isText whether it is a text; all others are numbers
     */
    public record CounterArgument(String name, String unit, boolean isText) {}

    private final String probeName;

    @SuppressWarnings("ImmutableEnumChecker") // an immutable list
    private final List<CounterArgument> arguments;

    ProcessCounter(String probeName, String... arguments) {
        this.probeName = probeName;
        this.arguments = Arrays.stream(arguments)
                .map(written -> written.split(":", 2))
                .map(parts -> new CounterArgument(parts[0], parts[1], parts[1].isEmpty()))
                .toList();
    }

    /** The name of the probe. */
    public String probeName() {
        return probeName;
    }

    /** Its id is so much more than the first one of the kind. */
    @SuppressWarnings("EnumOrdinal") // ids are given anew in each capture
    public int idOffset() {
        return ordinal();
    }

    /** What its events hold. */
    public List<CounterArgument> arguments() {
        return arguments;
    }

    /** Values are counters, except where there can be several of one kind at one moment. */
    public EventKind kind() {
        return arguments.stream().anyMatch(CounterArgument::isText) ? EventKind.INSTANT : EventKind.COUNTER;
    }
}
