package dev.probestream.cli.live;

import dev.probestream.collector.Collector;
import dev.probestream.schema.record.Stack;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The named stacks that events may still refer to: the latest records. */
public final class StackRegistry {
    private static final int MAX_STACKS = Collector.MAX_LIVE_STACKS;

    private final Map<Long, Stack> byId = new LinkedHashMap<>();

    public void add(Stack stack) {
        byId.remove(stack.getStackId()); // a repeated record becomes the latest
        byId.put(stack.getStackId(), stack);
        if (byId.size() > MAX_STACKS) {
            byId.remove(byId.keySet().iterator().next());
        }
    }

    @Nullable
    public Stack stack(long stackId) {
        return stackId == 0 ? null : byId.get(stackId);
    }
}
