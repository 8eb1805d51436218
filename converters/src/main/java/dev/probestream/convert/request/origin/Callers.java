package dev.probestream.convert.request.origin;

import dev.probestream.schema.record.Stack;
import java.util.HashMap;
import java.util.Map;

/**
 * The callers of one capture, by the id of the stack. Stacks are named after the hits that have them, so they are gathered before
 * events are looked at. Bounded: the first {@value #LIMIT} stacks with a caller.
 */
public final class Callers {
    static final int LIMIT = 1 << 17;

    private final Map<Long, Caller> byStack = new HashMap<>();
    /** Equal ones are kept once. */
    private final Map<Caller, Caller> distinct = new HashMap<>();

    /** Borrowed. */
    public void add(Stack stack) {
        if (byStack.size() < LIMIT) {
            Caller caller = Caller.of(stack.getFrames());
            if (!caller.equals(Caller.UNKNOWN)) {
                distinct.putIfAbsent(caller, caller);
                byStack.put(stack.getStackId(), distinct.getOrDefault(caller, caller));
            }
        }
    }

    /** {@link Caller#UNKNOWN} if the stack tells none, or is not recorded. */
    public Caller of(long stackId) {
        return byStack.getOrDefault(stackId, Caller.UNKNOWN);
    }
}
