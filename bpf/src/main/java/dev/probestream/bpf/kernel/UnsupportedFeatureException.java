package dev.probestream.bpf.kernel;

/** This kernel cannot do what was asked for, or does not let us: which feature, since when it exists, why not here. */
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
