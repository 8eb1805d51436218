package dev.probestream.bpf.map;

import java.util.Objects;

/**
 * Describes a map that is not created yet.
 *
 * @param name the name for {@code loadMap}; the kernel shows its first 15 characters
 * @param type what it is
 * @param keySizeBytes 4 for arrays, 0 for a ring buffer
 * @param valueSizeBytes of one value, for per-CPU maps of one CPU's; 0 for a ring buffer
 * @param maxEntries the number of keys; for a ring buffer its size in bytes, a power of two and a multiple of the page
 *     size
 * @param flags {@code BPF_F_} flags of bpf(2), such as {@link #BPF_F_NO_PREALLOC}
 * @param keyTypeId the type of the keys in {@link dev.probestream.bpf.kernel.ObjectsSpec#types}; 0 = none
 * @param valueTypeId the type of the values in {@link dev.probestream.bpf.kernel.ObjectsSpec#types}, which spin locks and timers need; 0 = none
 */
public record MapSpec(
        String name,
        MapType type,
        int keySizeBytes,
        int valueSizeBytes,
        int maxEntries,
        int flags,
        int keyTypeId,
        int valueTypeId) {
    /** Allocate a hash's entries when they are added (linux/bpf.h). */
    public static final int BPF_F_NO_PREALLOC = 1;

    /** Programs cannot write, since 5.2 (linux/bpf.h). */
    public static final int BPF_F_RDONLY_PROG = 1 << 7;

    /** Let user space map an array's values into its memory, since 5.5 (linux/bpf.h). */
    public static final int BPF_F_MMAPABLE = 1 << 10;

    public MapSpec {
        Objects.requireNonNull(type);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a map needs a name, by which programs refer to it");
        }
        if (keySizeBytes < 0 || valueSizeBytes < 0 || maxEntries < 0 || (maxEntries == 0 && !isWithoutCount(type))) {
            throw new IllegalArgumentException("map " + name + " with a key of " + keySizeBytes + " bytes, a value of "
                    + valueSizeBytes + " bytes and " + maxEntries + " entries");
        }
        if (type == MapType.RINGBUF && Integer.bitCount(maxEntries) != 1) {
            throw new IllegalArgumentException(
                    "ring buffer " + name + " of " + maxEntries + " bytes: the size must be a power of two");
        }
    }

    /**
     * Describes a map without the types of its keys and values.
     *
     * @param name the name for {@code loadMap}
     * @param type what it is
     * @param keySizeBytes of a key
     * @param valueSizeBytes of a value
     * @param maxEntries the number of keys
     * @param flags {@code BPF_F_} flags of bpf(2)
     */
    public MapSpec(String name, MapType type, int keySizeBytes, int valueSizeBytes, int maxEntries, int flags) {
        this(name, type, keySizeBytes, valueSizeBytes, maxEntries, flags, 0, 0);
    }

    /** Storage grows with what it belongs to. */
    private static boolean isWithoutCount(MapType type) {
        return type == MapType.SK_STORAGE
                || type == MapType.INODE_STORAGE
                || type == MapType.TASK_STORAGE
                || type == MapType.CGRP_STORAGE;
    }

    /**
     * {@return a hash}
     *
     * @param name at most 15 bytes
     * @param keySizeBytes of a key
     * @param valueSizeBytes of a value
     * @param maxEntries how many keys it has room for
     */
    public static MapSpec hash(String name, int keySizeBytes, int valueSizeBytes, int maxEntries) {
        return new MapSpec(name, MapType.HASH, keySizeBytes, valueSizeBytes, maxEntries, 0);
    }

    /**
     * {@return a hash with a value for each CPU}
     *
     * @param name at most 15 bytes
     * @param keySizeBytes of a key
     * @param valueSizeBytes of a value of one CPU
     * @param maxEntries how many keys it has room for
     */
    public static MapSpec perCpuHash(String name, int keySizeBytes, int valueSizeBytes, int maxEntries) {
        return new MapSpec(name, MapType.PERCPU_HASH, keySizeBytes, valueSizeBytes, maxEntries, 0);
    }

    /**
     * {@return an array}
     *
     * @param name at most 15 bytes
     * @param valueSizeBytes of a value
     * @param maxEntries its length
     */
    public static MapSpec array(String name, int valueSizeBytes, int maxEntries) {
        return new MapSpec(name, MapType.ARRAY, 4, valueSizeBytes, maxEntries, 0);
    }

    /**
     * {@return an array that {@link MappedArray} can map}
     *
     * @param name at most 15 bytes
     * @param valueSizeBytes of a value, a multiple of 8
     * @param maxEntries its length
     */
    public static MapSpec mappableArray(String name, int valueSizeBytes, int maxEntries) {
        return new MapSpec(name, MapType.ARRAY, 4, valueSizeBytes, maxEntries, BPF_F_MMAPABLE);
    }

    /**
     * {@return an array with a value for each CPU}
     *
     * @param name at most 15 bytes
     * @param valueSizeBytes of a value of one CPU
     * @param maxEntries its length
     */
    public static MapSpec perCpuArray(String name, int valueSizeBytes, int maxEntries) {
        return new MapSpec(name, MapType.PERCPU_ARRAY, 4, valueSizeBytes, maxEntries, 0);
    }

    /**
     * {@return a ring buffer}
     *
     * @param name its name
     * @param sizeBytes how many bytes
     */
    public static MapSpec ringBuffer(String name, int sizeBytes) {
        return new MapSpec(name, MapType.RINGBUF, 0, 0, sizeBytes, 0);
    }
}
