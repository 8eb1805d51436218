package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Counts JavaScript frames without a name, by reason, and stacks that miss some. What is seen again in an equal stack counts
 * once.
 */
final class UnnamedFrames {
    private final Map<UnnamedReason, Long> counts = new EnumMap<>(UnnamedReason.class);
    private long named;
    private long cutStacks;
    private long cutAsyncStacks;

    void add(UnnamedReason reason, int frames) {
        if (frames > 0) {
            counts.merge(reason, (long) frames, Long::sum);
        }
    }

    void addNamed(int frames) {
        named += frames;
    }

    /** Counts a stack that has more than was recorded. */
    void addStack(int flags) {
        cutStacks += (flags & JavaScriptRoom.CUT) != 0 ? 1 : 0;
        cutAsyncStacks += (flags & JavaScriptRoom.ASYNC_CUT) != 0 ? 1 : 0;
    }

    /** A line for each reason that occurred, for the user. */
    List<String> warnings() {
        long all = named + counts.values().stream().mapToLong(Long::longValue).sum();
        List<String> lines = new ArrayList<>();
        counts.forEach((reason, count) -> lines.add(
                count + " of " + all + " JavaScript frames of different stacks have no name: " + reason.text()));
        addCut(lines, cutStacks, "JavaScript frames than are recorded of a stack");
        addCut(
                lines,
                cutAsyncStacks,
                "async callers than the " + JavaScriptRoom.MAX_ASYNC_CALLERS + " that are recorded");
        return lines;
    }

    private static void addCut(List<String> lines, long stacks, String what) {
        if (stacks > 0) {
            lines.add(stacks + (stacks == 1 ? " stack has more " : " different stacks have more ") + what
                    + ": the outermost are missing");
        }
    }
}
