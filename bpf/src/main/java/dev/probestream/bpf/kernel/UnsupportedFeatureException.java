package dev.probestream.bpf.kernel;

/**
 * This kernel does not support or does not permit a feature. The message has the feature, its first kernel release and
 * the reason.
 */
public final class UnsupportedFeatureException extends RuntimeException {
    private final transient KernelFeature.Support support;

    /**
     * Creates the exception.
     *
     * @param support what the kernel answered
     */
    public UnsupportedFeatureException(KernelFeature.Support support) {
        super(message(support));
        this.support = support;
    }

    private static String message(KernelFeature.Support support) {
        return support.isRefused()
                ? "the kernel refuses " + support.feature().title() + ": " + support.reason()
                : "this kernel has no " + support.feature().title() + " (Linux "
                        + support.feature().sinceKernel() + " and later have): " + support.reason();
    }

    /** {@return what was tried, and the kernel's answer} */
    public KernelFeature.Support support() {
        return support;
    }

    /** {@return what is missing} */
    public KernelFeature feature() {
        return support.feature();
    }
}
