package dev.probestream.bpf.kernel;

import dev.probestream.bpf.sys.SyscallException;

/**
 * An attach point that the kernel refused, while it accepted others.
 *
 * @param attachPoint where
 * @param exception the kernel's error, not thrown
 */
public record RefusedAttachPoint(AttachPoint attachPoint, SyscallException exception) {
    /** {@return a sentence for the user: what was tried, where, and the kernel's error} */
    public String reason() {
        return String.valueOf(exception.getMessage());
    }
}
