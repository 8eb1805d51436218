package dev.probestream.convert.request.origin;

import dev.probestream.schema.record.Stack;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The callers of one capture, by the id of the stack. Stacks are named after the hits that have them, so they are gathered before
 * events are looked at. Bounded: the first {@value #LIMIT} stacks with a caller.
 */
public final class Callers {
    static final int LIMIT = 1 << 17;

    private final Map<Long, Caller> byStack = new HashMap<>();
    /** Who calls fetch, by the stacks that are of its library. */
    private final Map<Long, Caller> fetching = new HashMap<>();
    /** The stacks of packages that do what they were asked for earlier. */
    private final Set<Long> later = new HashSet<>();
    /** Equal ones are kept once. */
    private final Map<Caller, Caller> distinct = new HashMap<>();

    /** Borrowed. */
    public void add(Stack stack) {
        if (byStack.size() < LIMIT) {
            Caller caller = Caller.of(stack.getFrames());
            if (!caller.equals(Caller.UNKNOWN)) {
                byStack.put(stack.getStackId(), once(caller));
            }
            if (Caller.isLater(stack.getFrames())) {
                later.add(stack.getStackId());
            }
        }
        if (fetching.size() < LIMIT && Caller.isOfFetch(stack.getFrames())) {
            fetching.put(stack.getStackId(), once(Caller.ofFetch(stack.getFrames())));
        }
    }

    private Caller once(Caller caller) {
        distinct.putIfAbsent(caller, caller);
        return distinct.getOrDefault(caller, caller);
    }

    /** {@link Caller#UNKNOWN} if the stack has none, or is not recorded. */
    public Caller of(long stackId) {
        return byStack.getOrDefault(stackId, Caller.UNKNOWN);
    }

    /** Who asked for a statement: unknown if the package that writes it was asked for it earlier. */
    Caller ofStatement(long stackId) {
        return later.contains(stackId) ? Caller.UNKNOWN : of(stackId);
    }

    /** Whether the code is that of fetch, whoever called it. */
    boolean isOfFetch(long stackId) {
        return fetching.containsKey(stackId);
    }

    /** Who calls fetch; {@link Caller#UNKNOWN} also of what is not of fetch. */
    Caller ofFetch(long stackId) {
        return fetching.getOrDefault(stackId, Caller.UNKNOWN);
    }
}
