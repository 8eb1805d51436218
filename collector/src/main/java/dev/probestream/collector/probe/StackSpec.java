package dev.probestream.collector.probe;

/**
 * Which stacks to record at each hit; of a span they are those of its return, which start at its caller; of sched those of
 * a traced thread that leaves its cpu to wait.
 *
 * @param user the traced program's own
 * @param kernel the kernel's
 */
public record StackSpec(boolean user, boolean kernel) {
    /** No stack. */
    public static final StackSpec NONE = new StackSpec(false, false);

    /** The program's own and the kernel's. */
    public static final StackSpec BOTH = new StackSpec(true, true);

    /**
     * {@return these stacks and the others}
     *
     * @param others which stacks, too
     */
    public StackSpec and(StackSpec others) {
        return new StackSpec(user || others.user, kernel || others.kernel);
    }

    /** {@return whether any stack is recorded} */
    public boolean isAny() {
        return user || kernel;
    }
}
