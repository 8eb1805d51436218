package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.machine.TcpSockets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sums up the sockets of one process while those of its network namespace are listed. */
final class ProcessSockets {
    /** A process with more listening sockets has events of its fullest ones only. */
    private static final int MAX_LISTENING = 64;

    // net/tcp_states.h
    private static final int ESTABLISHED = 1;
    private static final int SYN_SENT = 2;
    private static final int CLOSE = 7;
    private static final int CLOSE_WAIT = 8;

    private final int pid;
    /** What was published of each listening socket, by its inode. */
    private Map<Long, ListenQueue> published = new HashMap<>();

    private Set<Long> inodes = Set.of();
    private Map<Long, ListenQueue> listening = new HashMap<>();
    private long established;
    private long connecting;
    private long closing;
    private long closeWait;
    private long tcp;

    /** @param drops connections that were turned away since it listens */
    private record ListenQueue(String local, long queued, long limit, long drops) {
        double fill() {
            return (double) queued / Math.max(1, limit);
        }
    }

    ProcessSockets(int pid) {
        this.pid = pid;
    }

    /** A listing follows. */
    void begin(Set<Long> socketInodes) {
        inodes = socketInodes;
        listening = new HashMap<>();
        established = 0;
        connecting = 0;
        closing = 0;
        closeWait = 0;
        tcp = 0;
    }

    Set<Long> inodes() {
        return inodes;
    }

    /** Takes a socket that is one of the process's. */
    void connection(int state) {
        tcp++;
        switch (state) {
            case ESTABLISHED -> established++;
            case SYN_SENT -> connecting++;
            case CLOSE_WAIT -> closeWait++;
            case CLOSE -> tcp--; // made, and not connected yet, or not any more
            default -> closing++;
        }
    }

    void listening(long inode, String local, long queued, long limit, long drops) {
        tcp++;
        listening.put(inode, new ListenQueue(local, queued, limit, drops));
    }

    boolean listens() {
        return !listening.isEmpty();
    }

    /** The listing is over. */
    void end(List<CounterValues> values) {
        long nowNs = ClockReading.monotonicNowNs();
        values.add(CounterValues.of(
                ProcessCounter.CONNECTIONS,
                pid,
                nowNs,
                established,
                connecting,
                closing,
                closeWait,
                Math.max(0, inodes.size() - tcp)));
        if (listening.isEmpty() && published.isEmpty()) {
            return;
        }
        List<ListenQueue> fullest = new ArrayList<>(listening.values());
        fullest.sort((one, other) -> Double.compare(other.fill(), one.fill()));
        long queued = fullest.isEmpty() ? 0 : fullest.get(0).queued();
        long limit = fullest.isEmpty() ? 0 : fullest.get(0).limit();
        long drops = fullest.stream().mapToLong(ListenQueue::drops).sum();
        values.add(CounterValues.of(ProcessCounter.LISTEN_QUEUE, pid, nowNs, listening.size(), queued, limit, drops));
        fullest.stream()
                .limit(MAX_LISTENING)
                .filter(queue -> !published.containsValue(queue))
                .forEach(queue -> values.add(CounterValues.ofListeningSocket(
                        pid, nowNs, queue.local(), queue.queued(), queue.limit(), queue.drops())));
        published = listening;
    }

    /** All states of connections that belong to a descriptor: those in TIME_WAIT and requests for one do not. */
    static int connectionStates() {
        int timeWait = 1 << 6;
        int synReceived = 1 << 3;
        int all = 0xffe;
        return all & ~timeWait & ~synReceived & ~(1 << TcpSockets.LISTEN);
    }
}
