package dev.probestream.bpf.kernel;

/**
 * A site the kernel would not probe, while it took others.
 *
 * @param reason a sentence for the user: what was tried, where, what the kernel said
 */
public record RefusedAttachPoint(AttachPoint site, String reason) {}
