package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.machine.TcpSockets;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.event.AddressText;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sockets of the processes of one network namespace, listed once for all of them. */
final class NetworkNamespace implements AutoCloseable {
    private static final String TCP_EXTENSION = "TcpExt:";

    private final TcpSockets sockets;

    private NetworkNamespace(TcpSockets sockets) {
        this.sockets = sockets;
    }

    /**
     * @throws IOException if the process has ended or may not be looked at
     * @throws SyscallException if the namespace may not be entered
     */
    static NetworkNamespace of(int pid) throws IOException {
        return new NetworkNamespace(TcpSockets.open(pid));
    }

    /** Which one a process is in. */
    static String name(int pid) throws IOException {
        return Files.readSymbolicLink(ProcFile.of(pid, "ns/net")).toString();
    }

    /**
     * Reads once.
     *
     * @param processes of this namespace, by their ids
     */
    void read(Map<Integer, ProcessSockets> processes, List<CounterValues> values) {
        Map<Long, List<ProcessSockets>> owners = new HashMap<>();
        for (ProcessSockets process : processes.values()) {
            for (Long inode : process.inodes()) {
                owners.computeIfAbsent(inode, unused -> new ArrayList<>(1)).add(process);
            }
        }
        sockets.list(ProcessSockets.connectionStates(), (state, inode, received, sent, drops, address, port) -> {
            for (ProcessSockets owner : of(owners, inode)) {
                owner.connection(state);
            }
        });
        sockets.list(1 << TcpSockets.LISTEN, (state, inode, queued, limit, drops, address, port) -> {
            Collection<ProcessSockets> listening = of(owners, inode);
            if (!listening.isEmpty()) {
                byte[] bytes = new byte[address.remaining()];
                address.get(bytes);
                String local = AddressText.of(bytes, port);
                listening.forEach(owner -> owner.listening(inode, local, queued, limit, drops));
            }
        });
        processes.values().forEach(process -> process.end(values));
        processes.forEach((pid, process) -> {
            if (process.listens()) {
                overflows(pid, values);
            }
        });
    }

    private static Collection<ProcessSockets> of(Map<Long, List<ProcessSockets>> owners, long inode) {
        return owners.getOrDefault(inode, List.of());
    }

    /** Two lines begin with the same word: names, then values (proc_pid_net(5)). */
    private static void overflows(int pid, List<CounterValues> values) {
        try {
            List<String[]> lines = ProcFile.read(pid, "net/netstat")
                    .lines()
                    .filter(line -> line.startsWith(TCP_EXTENSION))
                    .map(line -> line.split(" "))
                    .toList();
            values.add(CounterValues.of(
                    ProcessCounter.LISTEN_OVERFLOWS,
                    pid,
                    ClockReading.monotonicNowNs(),
                    value(lines, "ListenOverflows"),
                    value(lines, "ListenDrops")));
        } catch (IOException e) {
            // The process has ended.
        }
    }

    private static long value(List<String[]> lines, String name) {
        int column = lines.size() < 2 ? -1 : List.of(lines.get(0)).indexOf(name);
        return column < 0 ? CounterValues.UNKNOWN : Long.parseLong(lines.get(1)[column]);
    }

    @Override
    public void close() {
        sockets.close();
    }
}
