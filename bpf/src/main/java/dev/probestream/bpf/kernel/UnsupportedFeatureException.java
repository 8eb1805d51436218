package dev.probestream.bpf.kernel;

/**
 * This kernel does not support or does not permit a feature. The message has the feature, its first kernel release and
 * the reason.
 */
public final class UnsupportedFeatureException extends RuntimeException {
    private final KernelFeature feature;

    public UnsupportedFeatureException(KernelFeature.Support support) {
        super("this kernel has no " + support.feature().title() + " (Linux "
                + support.feature().sinceKernel() + " and later have): " + support.reason());
        this.feature = support.feature();
    }

    public KernelFeature feature() {
        return feature;
    }
}
