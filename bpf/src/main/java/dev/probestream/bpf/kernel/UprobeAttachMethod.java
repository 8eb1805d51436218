package dev.probestream.bpf.kernel;

/** The ways to attach uprobes, best first. A program must be loaded for the way it will go: {@link #attachType}. */
public enum UprobeAttachMethod {
    /** One BPF link for all sites of a file (uprobe_multi). Detaches a thousand sites in 40 ms. */
    MULTI(KernelFeature.UPROBE_MULTI, AttachType.TRACE_UPROBE_MULTI, true),
    /** One perf event and one BPF link per site. Detaching takes about 0.1 s per site. */
    PERF_LINK(KernelFeature.UPROBE_PERF_LINK, AttachType.NONE, true),
    /** One perf event per site and no cookies: each site needs a program of its own. Detaches as slowly. */
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
     * The best way this kernel has; asks it by trying, which takes some milliseconds.
     *
     * @throws UnsupportedFeatureException when it has none, with the reason why the last way will not do
     */
    public static UprobeAttachMethod best() {
        for (UprobeAttachMethod means : values()) {
            if (means.feature.probe().isSupported()) {
                return means;
            }
        }
        throw new UnsupportedFeatureException(PERF_IOCTL.feature.probe());
    }

    /**
     * The best method for a program that was loaded with this attach type. The kernel is asked only where there is a
     * choice.
     *
     * @throws IllegalArgumentException when no method attaches such a program
     */
    static UprobeAttachMethod bestFor(AttachType attachType) {
        return switch (attachType) {
            case TRACE_UPROBE_MULTI -> MULTI;
            case NONE -> PERF_LINK.feature.probe().isSupported() ? PERF_LINK : PERF_IOCTL;
            case TRACE_RAW_TP, PERF_EVENT ->
                throw new IllegalArgumentException("no uprobe runs a program that was loaded for " + attachType);
        };
    }

    /** The kernel feature that this method needs. */
    public KernelFeature feature() {
        return feature;
    }

    /** The {@code expected_attach_type} that programs for this way must be loaded with; their type is KPROBE. */
    public AttachType attachType() {
        return attachType;
    }

    /** Whether a site's cookie reaches the program. */
    public boolean hasCookies() {
        return hasCookies;
    }
}
