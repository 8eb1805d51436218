package dev.probestream.cli.demo;

import dev.probestream.schema.EventView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * File operations of libuv, matched from the call on the loop's thread and the completion, which have the same
 * request pointer. A call without a completion was a synchronous one and took as long as the call itself.
 */
final class FileOperations {
    private final Map<Long, Operation> openByRequest = new HashMap<>();
    private final List<Operation> ended = new ArrayList<>();

    /** Adds a call; {@code path} is "" if the operation has none. */
    void called(long request, String name, String path, EventView event) {
        Operation before = openByRequest.put(
                request, new Operation(name, path, event.timestampNs(), Math.max(event.durationNs(), 0)));
        if (before != null) {
            ended.add(before);
        }
    }

    /** Adds the completion of the call with this request. */
    void completed(long request, EventView event) {
        Operation call = openByRequest.remove(request);
        if (call != null) {
            long endNs = event.timestampNs() + Math.max(event.durationNs(), 0);
            ended.add(new Operation(call.name(), call.path(), call.startNs(), endNs - call.startNs()));
        }
    }

    /** The slowest operations, slowest first. */
    List<Operation> slowest(int limit) {
        List<Operation> all = new ArrayList<>(ended);
        all.addAll(openByRequest.values());
        return all.stream()
                .sorted(Comparator.comparingLong(Operation::durationNs).reversed())
                .limit(limit)
                .toList();
    }

    /**
     * One file operation.
     *
     * @param name the called function of libuv
     * @param path "" if it has none, such as a read from a descriptor
     * @param startNs CLOCK_MONOTONIC
     * @param durationNs from the call to the end of its callback
     */
    record Operation(String name, String path, long startNs, long durationNs) {}
}
