package dev.probestream.cli.demo;

import dev.probestream.schema.EventView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * File operations of libuv, put together from the call on the loop's thread and the completion, which carry the same
 * request pointer. A call without a completion was a synchronous one and took as long as the call itself.
 */
final class FileOperations {
    private final Map<Long, FileOperation> openByRequest = new HashMap<>();
    private final List<FileOperation> ended = new ArrayList<>();

    /** A call: {@code path} is "" where the operation has none. */
    void called(long request, String name, String path, EventView event) {
        FileOperation before = openByRequest.put(
                request, new FileOperation(name, path, event.timestampNs(), Math.max(event.durationNs(), 0)));
        if (before != null) {
            ended.add(before);
        }
    }

    /** The completion of what was called with this request. */
    void completed(long request, EventView event) {
        FileOperation call = openByRequest.remove(request);
        if (call != null) {
            long endNs = event.timestampNs() + Math.max(event.durationNs(), 0);
            ended.add(new FileOperation(call.name(), call.path(), call.startNs(), endNs - call.startNs()));
        }
    }

    /** The slowest, slowest first. */
    List<FileOperation> slowest(int limit) {
        List<FileOperation> all = new ArrayList<>(ended);
        all.addAll(openByRequest.values());
        return all.stream()
                .sorted(Comparator.comparingLong(FileOperation::durationNs).reversed())
                .limit(limit)
                .toList();
    }
}
