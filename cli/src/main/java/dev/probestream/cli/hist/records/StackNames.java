package dev.probestream.cli.hist.records;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.StackFunction;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The named stacks of the keys. Names come after the first event with a stack. Of stacks of no key only so many are kept. */
final class StackNames {
    /** A stack of no key yet can be that of a later key: its names may not come again. */
    private static final int MAX_OTHER_STACKS = 4096;

    private final Map<Long, List<Frame>> framesById = new HashMap<>();
    private final Set<Long> keptIds = new HashSet<>();

    /** Keeps the names of a stack that is in a key now. */
    void keep(long stackId) {
        keptIds.add(stackId);
    }

    void add(Stack stack) {
        if (keptIds.contains(stack.getStackId()) || framesById.size() < keptIds.size() + MAX_OTHER_STACKS) {
            framesById.put(stack.getStackId(), List.copyOf(stack.getFrames()));
        }
    }

    /**
     * The value of a key that is a stack.
     *
     * @param key ustack, kstack, ustack(5) or function
     */
    KeyValue value(String key, long stackId) {
        List<Frame> frames = framesById.getOrDefault(stackId, List.of());
        List<StackFunction> functions = key.equals(HistogramSpec.FUNCTION)
                ? StackFunction.ofApplication(frames).stream().toList()
                : of(frames, HistogramSpec.isKernelStack(key));
        int most = Math.min(functions.size(), HistogramSpec.mostFunctions(key));
        return KeyValue.stack(functions.isEmpty() ? List.of(none(key)) : functions.subList(0, most));
    }

    private static List<StackFunction> of(List<Frame> frames, boolean isKernel) {
        return frames.stream()
                .filter(frame -> (frame.getKind() == FrameKind.KERNEL) == isKernel)
                .map(StackFunction::of)
                .toList();
    }

    /** Of a hit that has no such stack: a kernel thread has none in user space, a function none in the kernel. */
    private static StackFunction none(String key) {
        boolean isKernel = HistogramSpec.isKernelStack(key);
        return new StackFunction(
                isKernel ? "[no kernel stack]" : "[no user stack]",
                isKernel ? FrameKind.KERNEL : FrameKind.NATIVE,
                "",
                0,
                0);
    }
}
