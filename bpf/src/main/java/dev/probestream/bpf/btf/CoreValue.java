package dev.probestream.bpf.btf;

/**
 * The number that a CO-RE relocation stands for.
 *
 * @param value the number
 * @param sizeBytes of an offset of a field that one load can read: the size of the field; else 0
 * @param isResizable whether a load of that field may be made wider or narrower: an unsigned number or a pointer
 */
public record CoreValue(long value, long sizeBytes, boolean isResizable) {
    static CoreValue of(long value) {
        return new CoreValue(value, 0, false);
    }
}
