package dev.probestream.collector.internal.histogram;

import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.StackFunction;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The named stacks of the keys of histograms. There are at most as many as the tables of the kernel have room for; a stack
 * whose names come twice, as after V8 has moved its functions, is one.
 */
final class HistogramStackNames {
    private final Map<Hash, Long> idByHash = new HashMap<>();
    private final Map<Long, NamedStack> stackById = new HashMap<>();
    /** Stacks share the functions they are made of. */
    private final Map<StackFunction, StackFunction> functions = new HashMap<>();

    /** By which the kernel counts. */
    record Hash(long first, long second) {}

    /** A stack, the innermost functions first. */
    private record NamedStack(List<StackFunction> user, List<StackFunction> kernel, List<StackFunction> ofApplication) {
        private static final NamedStack NONE = new NamedStack(List.of(), List.of(), List.of());
    }

    /** A new stack; its names follow. An id of 0 is a stack without frames. */
    void add(Hash hash, long stackId) {
        idByHash.put(hash, stackId);
    }

    /** The names of a stack. */
    void add(Stack stack) {
        List<Frame> frames = stack.getFrames();
        stackById.put(
                stack.getStackId(),
                new NamedStack(
                        of(frames, false),
                        of(frames, true),
                        StackFunction.ofApplication(frames).map(this::shared).stream()
                                .toList()));
    }

    /**
     * The value of a key that is a stack.
     *
     * @param key ustack, kstack, ustack(5) or function
     */
    KeyValue value(String key, Hash hash) {
        NamedStack stack = stackById.getOrDefault(idByHash.getOrDefault(hash, 0L), NamedStack.NONE);
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
