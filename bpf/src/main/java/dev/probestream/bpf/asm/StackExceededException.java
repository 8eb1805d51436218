package dev.probestream.bpf.asm;

/**
 * A program takes more of the stack than the verifier allows: 512 bytes with the functions that it calls ({@code MAX_BPF_STACK} in
 * include/linux/filter.h).
 */
public final class StackExceededException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    StackExceededException(String message) {
        super(message);
    }
}
