package dev.probestream.bpf.kernel;

/** The methods to attach uprobes, best first. A program must be loaded for one of them: {@link #attachType}. */
public enum UprobeAttachMethod {
    /** One BPF link for all attach points of a file (uprobe_multi). Detaches a thousand attach points in 40 ms. */
    MULTI(KernelFeature.UPROBE_MULTI, AttachType.TRACE_UPROBE_MULTI, true),
    /** One perf event and one BPF link per attach point. Detaching takes about 0.1 s per attach point. */
    PERF_LINK(KernelFeature.UPROBE_PERF_LINK, AttachType.NONE, true),
    /**
     * One perf event per attach point and no cookies: each attach point needs a program of its own. Detaching takes as
     * long.
     */
    PERF_IOCTL(KernelFeature.UPROBE_PERF_IOCTL, AttachType.NONE, false);

    private final KernelFeature feature;
    private final AttachType attachType;
    private final boolean hasCookies;

    UprobeAttachMethod(KernelFeature feature, AttachType attachType, boolean hasCookies) {
        this.feature = feature;
        this.attachType = attachType;
        this.hasCookies = hasCookies;
    }

    /**
     * {@return the best method that this kernel supports, found by trying, which takes some milliseconds}
     *
     * @throws UnsupportedFeatureException when it supports none, with the reason for the last one
     */
    public static UprobeAttachMethod best() {
        for (UprobeAttachMethod method : values()) {
            if (method.feature.probe().isSupported()) {
                return method;
            }
        }
        throw new UnsupportedFeatureException(PERF_IOCTL.feature.probe());
    }

    /**
     * The best method for a program that was loaded with this attach type. The kernel is probed only where there is a
     * choice.
     *
     * @throws IllegalArgumentException when no method attaches such a program
     */
    static UprobeAttachMethod bestFor(AttachType attachType) {
        return switch (attachType) {
            case TRACE_UPROBE_MULTI -> MULTI;
            case NONE -> PERF_LINK.feature.probe().isSupported() ? PERF_LINK : PERF_IOCTL;
            case TRACE_RAW_TP, TRACE_FENTRY, TRACE_FEXIT ->
                throw new IllegalArgumentException(
                        "a program that was loaded for " + attachType + " cannot be attached to a uprobe");
        };
    }

    /** {@return the kernel feature that this method needs} */
    public KernelFeature feature() {
        return feature;
    }

    /**
     * {@return the {@code expected_attach_type} that programs for this method must be loaded with; their type is
     * KPROBE}
     */
    public AttachType attachType() {
        return attachType;
    }

    /** {@return whether an attach point's cookie reaches the program} */
    public boolean hasCookies() {
        return hasCookies;
    }
}
