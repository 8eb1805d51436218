package dev.probestream.bpf.map;

import java.util.Arrays;
import java.util.Optional;

/** The supported types of map, with the numbers of {@code enum bpf_map_type} in linux/bpf.h. */
public enum MapType {
    /** BPF_MAP_TYPE_HASH. */
    HASH(1),
    /** BPF_MAP_TYPE_ARRAY. */
    ARRAY(2),
    /** Programs, for the helper tail_call. */
    PROG_ARRAY(3),
    /** Perf events, one per CPU, for the helper perf_event_output. */
    PERF_EVENT_ARRAY(4),
    /** One value per possible CPU under each key. */
    PERCPU_HASH(5),
    /** One value per possible CPU under each index. */
    PERCPU_ARRAY(6),
    /** Stacks by their id, for the helper get_stackid. */
    STACK_TRACE(7),
    /** Descriptors of cgroup folders, for the helper current_task_under_cgroup. */
    CGROUP_ARRAY(8),
    /** A hash that evicts the least recently used entry when it is full. */
    LRU_HASH(9),
    /** As LRU_HASH, with a value for each possible CPU. */
    LRU_PERCPU_HASH(10),
    /** Values by prefixes of keys, the longest first. */
    LPM_TRIE(11),
    /** A queue without keys, since 4.20. */
    QUEUE(22),
    /** A stack without keys, since 4.20. */
    STACK(23),
    /** A value for each socket, since 5.2. */
    SK_STORAGE(24),
    /** A ring of records, since 5.8: no keys, no values; max_entries is its size in bytes. */
    RINGBUF(27),
    /** A value for each inode, since 5.10. */
    INODE_STORAGE(28),
    /** A value for each thread, since 5.11. */
    TASK_STORAGE(29),
    /** Keys that were probably added, since 5.16. */
    BLOOM_FILTER(30),
    /** A value for each cgroup, since 6.2. */
    CGRP_STORAGE(32);

    private final int number;

    MapType(int number) {
        this.number = number;
    }

    /**
     * {@return the type with this number; empty where it is not supported}
     *
     * @param number of {@code enum bpf_map_type}
     */
    public static Optional<MapType> ofNumber(long number) {
        return Arrays.stream(values()).filter(type -> type.number == number).findFirst();
    }

    /**
     * Whether the kernel takes the types of its keys and values; others refuse them (tools/lib/bpf/libbpf.c,
     * bpf_object__create_map).
     */
    boolean takesTypes() {
        return switch (this) {
            case PROG_ARRAY, PERF_EVENT_ARRAY, STACK_TRACE, CGROUP_ARRAY, QUEUE, STACK, RINGBUF, BLOOM_FILTER -> false;
            case HASH,
                    ARRAY,
                    PERCPU_HASH,
                    PERCPU_ARRAY,
                    LRU_HASH,
                    LRU_PERCPU_HASH,
                    LPM_TRIE,
                    SK_STORAGE,
                    INODE_STORAGE,
                    TASK_STORAGE,
                    CGRP_STORAGE -> true;
        };
    }

    /** {@return whether reading a key gives one value for each possible CPU} */
    public boolean isPerCpu() {
        return this == PERCPU_HASH || this == PERCPU_ARRAY || this == LRU_PERCPU_HASH;
    }

    int number() {
        return number;
    }
}
