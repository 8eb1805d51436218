package dev.probestream.bpf.kernel;

/**
 * A feature that a kernel may support. {@link #probe} tries it: version numbers are not reliable, because distributions
 * backport features and containers block them.
 */
public enum KernelFeature {
    PROGRAMS("loading BPF programs", "4.7"),
    RING_BUFFER("ring buffers", "5.8"),
    UPROBE_MULTI("many user-space probes on one link", "6.6"),
    UPROBE_PERF_LINK("user-space probes with cookies by perf event", "5.15"),
    UPROBE_PERF_IOCTL("user-space probes by perf event", "4.17"),
    BPF_COOKIE("a number of its own for each attached probe", "5.15"),
    SLEEPABLE_UPROBE("reading user memory that is not resident", "6.0"),
    TRACEPOINT("kernel tracepoints", "4.7"),
    RAW_TRACEPOINT("raw kernel tracepoints", "4.17"),
    BTF("type information about itself (BTF)", "5.4"),
    CPU_CLOCK("samples of what the cpus run", "4.9"),
    CURRENT_TASK_BTF("reading the current task by its type", "5.11"),
    KERNEL_MEMORY("reading kernel memory", "5.5"),
    NAMESPACE_IDS("process ids as a container has them", "5.7");

    private final String title;
    private final String sinceKernel;

    KernelFeature(String title, String sinceKernel) {
        this.title = title;
        this.sinceKernel = sinceKernel;
    }

    /** A description that fits after "this kernel has no ..." and in a table. */
    public String title() {
        return title;
    }

    /** The first kernel release that has it, such as {@code 5.8}. */
    public String sinceKernel() {
        return sinceKernel;
    }

    /** Tries it now, which takes a few milliseconds at most and leaves nothing behind. Never throws. */
    public Support probe() {
        return FeatureProbe.of(this);
    }

    /**
     * Whether this kernel supports a feature.
     *
     * @param isRefused whether the kernel refused the attempt (EPERM, EACCES, ENOSYS), so that nothing is known of the feature
     * @param reason what was tried, and the kernel's error
     */
    public record Support(KernelFeature feature, boolean isSupported, boolean isRefused, String reason) {}
}
