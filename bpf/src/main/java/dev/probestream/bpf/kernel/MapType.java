package dev.probestream.bpf.kernel;

/** The supported types of map, with the numbers of {@code enum bpf_map_type} in linux/bpf.h. */
public enum MapType {
    /** BPF_MAP_TYPE_HASH. */
    HASH(1),
    /** BPF_MAP_TYPE_ARRAY. */
    ARRAY(2),
    /** One value per possible CPU under each key. */
    PERCPU_HASH(5),
    /** One value per possible CPU under each index. */
    PERCPU_ARRAY(6),
    /** Descriptors of cgroup folders, for the helper current_task_under_cgroup. */
    CGROUP_ARRAY(8),
    /** A hash that evicts the least recently used entry when it is full. */
    LRU_HASH(9),
    /** A ring of records, since 5.8: no keys, no values; max_entries is its size in bytes. */
    RINGBUF(27);

    private final int number;

    MapType(int number) {
        this.number = number;
    }

    /** {@return whether reading a key gives one value for each possible CPU} */
    public boolean isPerCpu() {
        return this == PERCPU_HASH || this == PERCPU_ARRAY;
    }

    int number() {
        return number;
    }
}
