package dev.probestream.collector.internal.connection;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.event.EventDecoder;
import dev.probestream.collector.internal.event.ProbeRecords;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.collector.request.CollectionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The connections that the targets had when the capture began: no probe saw them begin, so their addresses are read from
 * /proc, and published as events before all others. Only for captures that follow connections.
 *
 * <p>Descriptors and addresses are read before the probes begin to count, and the descriptors once more afterwards. One
 * that changed hands between is left out: its first hits could be of either connection, and an unknown address is better
 * than a wrong one.
 */
public final class ExistingConnections {
    private static final String STREAM_ROLES = "stream.";
    private static final String HTTP_ROLES = "http.";

    private final Optional<String> category;
    private final List<Target> targets;
    /** By process and descriptor: the inodes of their sockets. */
    private final Map<Integer, Map<Integer, Long>> before = new HashMap<>();
    /** Inodes that were looked for. */
    private final Set<Long> seen = new HashSet<>();
    /** By inode. */
    private final Map<Long, OpenSockets.Connected> connected = new HashMap<>();

    private ExistingConnections(Optional<String> category, List<Target> targets) {
        this.category = category;
        this.targets = targets;
    }

    /** Reads which connections the targets have. To be called before the probes begin to count. */
    public static ExistingConnections look(CollectionRequest request, List<Target> targets) {
        ExistingConnections connections = new ExistingConnections(category(request), targets);
        if (connections.category.isPresent()) {
            targets.forEach(target -> connections.before.put(target.pid(), OpenSockets.inodes(target.pid())));
            connections.readAddresses(connections.before);
        }
        return connections;
    }

    /** Of the probes that follow connections; empty without them, and when hits are only shown, not put together. */
    private static Optional<String> category(CollectionRequest request) {
        List<PresetTraits> presets =
                request.probes().stream().map(ProbeSpec::preset).toList();
        boolean areAssembled = !request.isLive()
                || presets.stream().anyMatch(preset -> preset.role().startsWith(HTTP_ROLES));
        return presets.stream()
                .filter(preset -> areAssembled && preset.role().startsWith(STREAM_ROLES))
                .map(PresetTraits::category)
                .findFirst();
    }

    /**
     * Publishes those that are there now. To be called when the probes count, before the first event is read.
     *
     * @param probeId that no other probe has
     * @param atNs when the probes began to count
     */
    public void publish(long captureId, int probeId, long atNs, EventPublisher publisher, EventDecoder decoder) {
        if (category.isEmpty()) {
            return;
        }
        Map<Integer, Map<Integer, Long>> now = new HashMap<>();
        targets.forEach(target -> now.put(target.pid(), unchanged(target.pid())));
        readAddresses(now);
        if (connected.isEmpty()) {
            return;
        }
        publisher.publish(ProbeRecords.ofOpenConnections(captureId, probeId, category.get()));
        now.forEach((pid, sockets) -> sockets.forEach((fd, inode) -> {
            OpenSockets.Connected ends = connected.get(inode);
            if (ends != null) {
                decoder.openConnection(probeId, atNs, pid, fd, ends.remote(), ends.local(), ends.isAccepted());
            }
        }));
    }

    /** The sockets that the process has now, without those whose descriptor was another socket's before. */
    private Map<Integer, Long> unchanged(int pid) {
        Map<Integer, Long> now = OpenSockets.inodes(pid);
        Map<Integer, Long> then = before.getOrDefault(pid, Map.of());
        now.entrySet()
                .removeIf(socket -> !socket.getValue().equals(then.getOrDefault(socket.getKey(), socket.getValue())));
        return now;
    }

    /** Reads the addresses of the sockets that are new, once for all processes that share a network namespace. */
    private void readAddresses(Map<Integer, Map<Integer, Long>> sockets) {
        Map<String, Integer> somePid = new HashMap<>();
        Map<String, Set<Long>> wanted = new HashMap<>();
        sockets.forEach((pid, inodes) -> {
            Set<Long> found = new HashSet<>(inodes.values());
            found.removeAll(seen);
            if (!found.isEmpty()) {
                String namespace = networkNamespace(pid);
                somePid.putIfAbsent(namespace, pid);
                wanted.computeIfAbsent(namespace, unused -> new HashSet<>()).addAll(found);
            }
        });
        wanted.forEach((namespace, inodes) -> {
            seen.addAll(inodes);
            connected.putAll(OpenSockets.connected(somePid.getOrDefault(namespace, 0), inodes));
        });
    }

    /** Processes that share it have the same tables; one that has exited shares it with none. */
    private static String networkNamespace(int pid) {
        try {
            return Files.readSymbolicLink(ProcFile.of(pid, "ns/net")).toString();
        } catch (IOException e) {
            return "of process " + pid;
        }
    }
}
