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

    private final Map<Long, NamedStack> stackById = new HashMap<>();
    private final Set<Long> keptIds = new HashSet<>();
    /** Stacks share the functions they are made of. */
    private final Map<StackFunction, StackFunction> functions = new HashMap<>();

    /** A stack, the innermost functions first. */
    private record NamedStack(List<StackFunction> user, List<StackFunction> kernel, List<StackFunction> ofApplication) {
        private static final NamedStack NONE = new NamedStack(List.of(), List.of(), List.of());
    }

    /** Keeps the names of a stack that is in a key now. */
    void keep(long stackId) {
        keptIds.add(stackId);
    }

    void add(Stack stack) {
        if (keptIds.contains(stack.getStackId()) || stackById.size() < keptIds.size() + MAX_OTHER_STACKS) {
            List<Frame> frames = stack.getFrames();
            stackById.put(
                    stack.getStackId(),
                    new NamedStack(
                            of(frames, false),
                            of(frames, true),
                            StackFunction.ofApplication(frames).map(this::shared).stream()
                                    .toList()));
        }
    }

    /**
     * The value of a key that is a stack.
     *
     * @param key ustack, kstack, ustack(5) or function
     */
    KeyValue value(String key, long stackId) {
        NamedStack stack = stackById.getOrDefault(stackId, NamedStack.NONE);
        if (key.equals(HistogramSpec.FUNCTION)) {
            return KeyValue.stack(stack.ofApplication.isEmpty() ? List.of(none(key)) : stack.ofApplication);
        }
        List<StackFunction> whole = HistogramSpec.isKernelStack(key) ? stack.kernel : stack.user;
        int most = Math.min(whole.size(), HistogramSpec.mostFunctions(key));
        return KeyValue.stack(whole.isEmpty() ? List.of(none(key)) : whole.subList(0, most));
    }

    private List<StackFunction> of(List<Frame> frames, boolean isKernel) {
        return frames.stream()
                .filter(frame -> (frame.getKind() == FrameKind.KERNEL) == isKernel)
                .map(StackFunction::of)
                .map(this::shared)
                .toList();
    }

    private StackFunction shared(StackFunction function) {
        return functions.computeIfAbsent(function, same -> same);
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
