package dev.probestream.bpf.kernel;

/**
 * This kernel does not support or does not permit a feature. The message has the feature, its first kernel release and
 * the reason.
 */
public final class UnsupportedFeatureException extends RuntimeException {
    private final KernelFeature feature;

    public UnsupportedFeatureException(KernelFeature.Support support) {
        super(message(support));
        this.feature = support.feature();
    }

    private static String message(KernelFeature.Support support) {
        return support.isRefused()
                ? "the kernel refuses " + support.feature().title() + ": " + support.reason()
                : "this kernel has no " + support.feature().title() + " (Linux "
                        + support.feature().sinceKernel() + " and later have): " + support.reason();
    }

    public KernelFeature feature() {
        return feature;
    }
}
