package dev.probestream.bpf.kernel;

/**
 * A kernel's answer to the question for a feature.
 *
 * @param reason what was tried and what the kernel said
 */
public record FeatureSupport(KernelFeature feature, boolean isSupported, String reason) {}
