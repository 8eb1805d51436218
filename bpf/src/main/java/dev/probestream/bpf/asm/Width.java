package dev.probestream.bpf.asm;

/** How many bytes one load or store moves (linux/bpf_common.h, {@code BPF_B}, {@code BPF_H}, {@code BPF_W}, {@code BPF_DW}). */
public enum Width {
    /** One byte. */
    BYTE(1, 0x10),
    /** Two bytes. */
    HALF(2, 0x08),
    /** Four bytes. */
    WORD(4, 0x00),
    /** Eight bytes. */
    DOUBLE_WORD(8, 0x18);

    private final int sizeBytes;
    private final int opcodeBits;

    Width(int sizeBytes, int opcodeBits) {
        this.sizeBytes = sizeBytes;
        this.opcodeBits = opcodeBits;
    }

    /** {@return 1, 2, 4 or 8} */
    public int sizeBytes() {
        return sizeBytes;
    }

    int opcodeBits() {
        return opcodeBits;
    }
}
