package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.probe.StackSpec;

/**
 * How many frames of each stack a sample has room for.
 *
 * @param kernel 0 = the kernel's stack is not recorded
 * @param user 0 = the program's stack is not recorded
 * @param javaScript how many JavaScript frames of the program's stack are recorded by their functions
 */
public record StackDepths(int kernel, int user, int javaScript) {
    /** PERF_MAX_STACK_DEPTH of linux/perf_event.h, which bounds what bpf_get_stack returns. */
    public static final int MAX = 127;

    public static final StackDepths NONE = new StackDepths(0, 0, 0);

    /** Enough for most JavaScript call chains at 8 bytes a frame. */
    public static final StackDepths DEFAULT = new StackDepths(32, 64, 0);

    public StackDepths {
        if (kernel < 0 || kernel > MAX || user < 0 || user > MAX || javaScript < 0 || javaScript > user) {
            throw new IllegalArgumentException("stacks of " + kernel + " and " + user + " frames, " + javaScript
                    + " of JavaScript: the kernel gives at most " + MAX);
        }
    }

    /** For what is recorded rarely: a stack that is cut off has lost where it began. */
    public static final StackDepths DEEPEST = new StackDepths(MAX, MAX, 0);

    /** These depths, where the spec asks for the stack. */
    public StackDepths of(StackSpec spec) {
        return new StackDepths(spec.kernel() ? kernel : 0, spec.user() ? user : 0, spec.user() ? javaScript : 0);
    }

    /** These depths, with or without room for as many JavaScript frames as there are frames of the program's stack. */
    public StackDepths withJavaScript(boolean isRecorded) {
        return new StackDepths(kernel, user, isRecorded ? user : 0);
    }

    boolean isNone() {
        return kernel == 0 && user == 0;
    }
}
