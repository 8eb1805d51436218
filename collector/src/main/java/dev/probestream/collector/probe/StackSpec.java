package dev.probestream.collector.probe;

/**
 * Which stacks to record at each hit; of a span they are those of its return, which start at its caller.
 *
 * @param user the traced program's own
 * @param kernel the kernel's
 */
public record StackSpec(boolean user, boolean kernel) {
    public static final StackSpec NONE = new StackSpec(false, false);

    /** Whether any stack is recorded. */
    public boolean isAny() {
        return user || kernel;
    }
}
