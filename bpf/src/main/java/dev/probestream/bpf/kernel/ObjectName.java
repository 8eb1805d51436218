package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.NativeMemory;

/** The name under which the kernel lists a map or program: BPF_OBJ_NAME_LEN of linux/bpf.h. */
final class ObjectName {
    private static final int BPF_OBJ_NAME_LEN = 16;

    private ObjectName() {}

    /** Stores the first 15 characters; the kernel takes letters, digits, dots and underscores only. */
    static void putInto(NativeMemory attr, int offset, String name) {
        attr.putString(offset, BPF_OBJ_NAME_LEN, name.replaceAll("[^A-Za-z0-9_.]", "_"));
    }
}
