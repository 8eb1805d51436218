package dev.probestream.bpf.kernel;

/**
 * A feature that a kernel may support. {@link #probe} tries it: version numbers are not reliable, because distributions
 * backport features and containers block them.
 */
public enum KernelFeature {
    /** Loading BPF programs. */
    PROGRAMS("loading BPF programs", "4.7"),
    /** Ring buffers. */
    RING_BUFFER("ring buffers", "5.8"),
    /** Many user-space probes on one link. */
    UPROBE_MULTI("many user-space probes on one link", "6.6"),
    /** User-space probes with cookies by perf event. */
    UPROBE_PERF_LINK("user-space probes with cookies by perf event", "5.15"),
    /** User-space probes by perf event. */
    UPROBE_PERF_IOCTL("user-space probes by perf event", "4.17"),
    /** A number of its own for each attached probe. */
    BPF_COOKIE("a number of its own for each attached probe", "5.15"),
    /** Reading user memory that is not resident. */
    SLEEPABLE_UPROBE("reading user memory that is not resident", "6.0"),
    /** Kernel tracepoints. */
    TRACEPOINT("kernel tracepoints", "4.7"),
    /** Raw kernel tracepoints. */
    RAW_TRACEPOINT("raw kernel tracepoints", "4.17"),
    /** Type information about itself (BTF). */
    BTF("type information about itself (BTF)", "5.4"),
    /** Samples of what the cpus run. */
    CPU_CLOCK("samples of what the cpus run", "4.9"),
    /** Reading the current task by its type. */
    CURRENT_TASK_BTF("reading the current task by its type", "5.11"),
    /** Reading kernel memory. */
    KERNEL_MEMORY("reading kernel memory", "5.5"),
    /** Process ids as a container has them. */
    NAMESPACE_IDS("process ids as a container has them", "5.7"),
    /** Atomic instructions that return the value before: exchange, compare and exchange, fetch and add. */
    ATOMIC_FETCH("atomic instructions that return the earlier value", "5.12"),
    /** Loops over a function of the program, and the registers of user mode in every kind of program. */
    LOOPS("loops over a function (bpf_loop)", "5.17");

    private final String title;
    private final String sinceKernel;

    KernelFeature(String title, String sinceKernel) {
        this.title = title;
        this.sinceKernel = sinceKernel;
    }

    /** {@return a description that fits after "this kernel has no ..." and in a table} */
    public String title() {
        return title;
    }

    /** {@return the first kernel release that has it, such as {@code 5.8}} */
    public String sinceKernel() {
        return sinceKernel;
    }

    /**
     * Tries it now, which takes a few milliseconds at most and leaves nothing behind. Never throws.
     *
     * @return whether it is supported, and why not
     */
    public Support probe() {
        return FeatureProbe.of(this);
    }

    /**
     * Whether this kernel supports a feature.
     *
     * @param feature the feature
     * @param isSupported whether it works here
     * @param isRefused whether the kernel refused the attempt (EPERM, EACCES, ENOSYS), so that nothing is known of the feature
     * @param reason what was tried, and the kernel's error
     */
    public record Support(KernelFeature feature, boolean isSupported, boolean isRefused, String reason) {}
}
