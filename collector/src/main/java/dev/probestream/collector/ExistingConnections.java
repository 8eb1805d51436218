package dev.probestream.collector;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.event.EventDecoder;
import dev.probestream.collector.event.ProbeRecords;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.process.Target;
import dev.probestream.collector.publish.EventPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The connections that the targets had when the capture began: no probe saw them begin, so their addresses are read from
 * /proc, and published as events before all others. Only for captures that follow connections.
 *
 * <p>The descriptors are read before the probes begin to count and once more afterwards. One that changed hands between
 * is left out: its first hits could be of either connection, and an unknown address is better than a wrong one.
 */
final class ExistingConnections {
    private static final String STREAM_ROLES = "stream.";
    private static final String HTTP_ROLES = "http.";

    private final Optional<String> category;
    private final List<Target> targets;
    private final Map<Integer, Map<Integer, Long>> before = new HashMap<>();

    private ExistingConnections(Optional<String> category, List<Target> targets) {
        this.category = category;
        this.targets = targets;
    }

    /** Reads which sockets the targets have. To be called before the probes begin to count. */
    static ExistingConnections look(CollectionRequest request, List<Target> targets) {
        Predicate<String> isWanted = role ->
                role.startsWith(HTTP_ROLES) || role.startsWith(STREAM_ROLES) && !request.isLive();
        boolean areWanted = request.probes().stream()
                .map(spec -> spec.preset().role())
                .anyMatch(isWanted);
        Optional<String> category = request.probes().stream()
                .map(ProbeSpec::preset)
                .filter(preset -> areWanted && preset.role().startsWith(STREAM_ROLES))
                .map(PresetTraits::category)
                .findFirst();
        ExistingConnections connections = new ExistingConnections(category, targets);
        if (category.isPresent()) {
            targets.forEach(target -> connections.before.put(target.pid(), OpenSockets.inodes(target.pid())));
        }
        return connections;
    }

    /**
     * Publishes those that are there now. To be called when the probes count, before the first event is read.
     *
     * @param probeId that no other probe has
     * @param atNs when the probes began to count
     */
    void publish(long captureId, int probeId, long atNs, EventPublisher publisher, EventDecoder decoder) {
        if (category.isEmpty()) {
            return;
        }
        Map<Integer, Map<Integer, Long>> sockets = new HashMap<>();
        targets.forEach(target -> sockets.put(target.pid(), unchanged(target.pid())));
        Map<String, List<Target>> byNamespace =
                targets.stream().collect(Collectors.groupingBy(target -> networkNamespace(target.pid())));
        publisher.publish(ProbeRecords.ofOpenConnections(captureId, probeId, category.get()));
        byNamespace.values().forEach(sharing -> {
            Set<Long> inodes = new HashSet<>();
            sharing.forEach(target -> inodes.addAll(socketsOf(target, sockets).values()));
            Map<Long, OpenSockets.Connected> connected =
                    OpenSockets.connected(sharing.get(0).pid(), inodes);
            sharing.forEach(target -> socketsOf(target, sockets).forEach((fd, inode) -> {
                OpenSockets.Connected ends = connected.get(inode);
                if (ends != null) {
                    decoder.openConnection(probeId, atNs, target.pid(), fd, ends.remote(), ends.local());
                }
            }));
        });
    }

    private static Map<Integer, Long> socketsOf(Target target, Map<Integer, Map<Integer, Long>> sockets) {
        return sockets.getOrDefault(target.pid(), Map.of());
    }

    /** The sockets that the process has now, without those whose descriptor was another socket's before. */
    private Map<Integer, Long> unchanged(int pid) {
        Map<Integer, Long> now = OpenSockets.inodes(pid);
        Map<Integer, Long> then = before.getOrDefault(pid, Map.of());
        now.entrySet().removeIf(socket -> !socket.getValue().equals(then.getOrDefault(socket.getKey(), socket.getValue())));
        return now;
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
