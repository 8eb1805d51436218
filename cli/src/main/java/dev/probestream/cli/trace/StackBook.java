package dev.probestream.cli.trace;

import dev.probestream.collector.event.StackTable;
import dev.probestream.schema.record.Stack;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The named stacks that events may still refer to: the latest that were said. */
final class StackBook {
    private static final int MAX_STACKS = 2 * StackTable.MAX_KNOWN_LIVE;

    private final Map<Long, Stack> byId = new LinkedHashMap<>();

    void note(Stack stack) {
        byId.remove(stack.getStackId()); // said again: the latest once more
        byId.put(stack.getStackId(), stack);
        if (byId.size() > MAX_STACKS) {
            byId.remove(byId.keySet().iterator().next());
        }
    }

    @Nullable
    Stack stack(long stackId) {
        return stackId == 0 ? null : byId.get(stackId);
    }
}
