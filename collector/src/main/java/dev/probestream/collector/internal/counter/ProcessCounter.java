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
    LISTENING_SOCKET("listening socket", "local:", "queued:count", "limit:count", "drops:count");

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
